import type { Config } from './config.ts'

/** What a person at a terminal wants to know once the service is up. */
export function banner(
  service: { readonly httpUrl: string; readonly smtpPort: number },
  config: Config,
): string {
  const url = config.MAYFLY_BASE_URL ?? service.httpUrl
  const plan = config.MAYFLY_DEFAULT_PLAN
  return `
  Mayfly is ready.

    API    ${url}/v1
    Docs   ${url}/docs
    MCP    ${url}/mcp
    SMTP   ${config.MAYFLY_SMTP_HOST}:${service.smtpPort}

  Begin with an account; the answer holds your API key:

    curl ${url}/v1/accounts -H 'Content-Type: application/json' -d '{"email":"you@example.com"}'

  New accounts are on the plan ${plan}${PLAN_HINTS[plan]}
${openedDoor(config)}
`
}

/** Reaching into a private network is worth a warning: whoever has a key can make us do it. */
function openedDoor(config: Config): string {
  const blocks = config.MAYFLY_OUTBOUND_ALLOW.join(', ')
  const opened = config.MAYFLY_ALLOW_PRIVATE_NETWORK ? 'every address' : blocks
  if (opened === '') return ''
  return `\n  Webhooks and link checks may reach ${opened}, private ones included:\n  whoever has an API key can make this machine call into your network.\n`
}

const PLAN_HINTS: Readonly<Record<Config['MAYFLY_DEFAULT_PLAN'], string>> = {
  key_only:
    ', whose limits are for trying out.\n  Hosting for yourself? MAYFLY_DEFAULT_PLAN=unlimited lifts the limits.',
  connected: ', whose limits are for regular use.',
  unlimited: ', without limits.',
}
