import type { Config } from './config.ts'

/** The text on the terminal once the service is ready. */
export function banner(
  service: { readonly httpUrl: string; readonly smtpPort: number },
  config: Config,
  signInLink: string | null,
): string {
  const url = config.MAYFLY_BASE_URL ?? service.httpUrl
  const plan = config.MAYFLY_DEFAULT_PLAN
  return `
  Mayfly is ready.

    API    ${url}/v1
    Docs   ${url}/docs
    MCP    ${url}/mcp
    SMTP   ${config.MAYFLY_SMTP_HOST}:${service.smtpPort}

${signInLink === null ? registration(url) : wayIn(signInLink)}
  New accounts are on the plan ${plan}${PLAN_HINTS[plan]}
${privateNetworkWarning(config)}
`
}

const registration = (url: string) => `  Register an account; the response contains your API key:

    curl ${url}/v1/accounts -H 'Content-Type: application/json' -d '{"email":"you@example.com"}'
`

const wayIn = (
  signInLink: string,
) => `  Open the dashboard with this link; it works once, within 10 minutes:

    ${signInLink}

  \`mayfly open\` creates a new link. On this machine, the command line needs no key.
`

/** Anyone with an API key can make the service call into the networks that it may reach. */
function privateNetworkWarning(config: Config): string {
  const blocks = config.MAYFLY_OUTBOUND_ALLOW.join(', ')
  const reachable = config.MAYFLY_ALLOW_PRIVATE_NETWORK ? 'every address' : blocks
  if (reachable === '') return ''
  return `\n  Warning: webhooks and link checks may reach ${reachable}, including private\n  networks. Anyone with an API key can make this machine send requests to them.\n`
}

const PLAN_HINTS: Readonly<Record<Config['MAYFLY_DEFAULT_PLAN'], string>> = {
  key_only:
    ', whose limits are meant for trials.\n  On a private deployment, MAYFLY_DEFAULT_PLAN=unlimited removes the limits.',
  connected: ', whose limits are meant for regular use.',
  unlimited: ', without limits.',
}
