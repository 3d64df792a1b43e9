import { isSea } from 'node:sea'
import { isLocalHost } from '../ip-address.ts'
import type { Config } from './config.ts'

/** The text on the terminal once the service is ready. */
export function banner(
  service: {
    readonly httpUrl: string
    readonly smtpPort: number
    readonly pop3Port: number | null
    readonly hasAccounts: boolean
    readonly version: string
    /** The commit that was built, and its date. */
    readonly commit: string | null
    /** Where the data is. */
    readonly dataPlace: string
  },
  config: Config,
  signInLink: string | null,
): string {
  const url = config.MAYFLY_BASE_URL ?? service.httpUrl
  const rows = [
    ['Dashboard', url],
    ['SMTP', `${config.MAYFLY_SMTP_HOST}:${service.smtpPort}`],
    ...(service.pop3Port === null
      ? []
      : [['POP3', `${config.MAYFLY_SMTP_HOST}:${service.pop3Port}`]]),
    ['API', `${url}/docs`],
    ['Agents', `${url}/mcp`],
    ['Data', service.dataPlace],
  ]
  const paragraphs = [
    `Mayfly ${service.version}${service.commit === null ? '' : ` (${service.commit})`} is ready.`,
    rows.map(([name = '', value]) => `  ${name.padEnd(11)}${value}`).join('\n'),
    openTo(config),
    config.MAYFLY_CATCH_ALL === 'off' ? wayIn(service.hasAccounts, url, signInLink) : null,
    privateNetworkWarning(config),
  ]
  const text = paragraphs.filter((paragraph) => paragraph !== null).join('\n\n')
  return `\n${text.replaceAll(/^(?=.)/gm, '  ')}\n\n`
}

/** Who reaches the service, and what they may do. */
function openTo(config: Config): string {
  const isLocal = [config.MAYFLY_HTTP_HOST, config.MAYFLY_SMTP_HOST].every(isLocalHost)
  switch (config.MAYFLY_CATCH_ALL) {
    case 'open':
      return 'Warning: anybody who reaches these ports can read and send (MAYFLY_CATCH_ALL=open).\nUse it on private networks only.'
    case 'on':
      return 'Mail to any address is accepted, and shown without a key (MAYFLY_CATCH_ALL=on).\nOnly programs of this machine reach it.'
    default:
      return isLocal
        ? 'Only programs of this machine reach it. Mail is accepted for its inboxes.'
        : 'Other machines reach it. Mail is accepted for its inboxes.'
  }
}

/** In a clone, and where the npm package is installed, `mayfly` is not in PATH. */
const COMMAND = isSea() ? 'mayfly' : 'npx mayfly'

function wayIn(hasAccounts: boolean, url: string, signInLink: string | null): string | null {
  if (signInLink !== null) {
    return `Open the dashboard with this link; it works once, within 10 minutes:\n\n  ${signInLink}\n\n\`${COMMAND} open\` prints a new link. On this machine, \`${COMMAND}\` needs no key:\n\n  ${COMMAND} inbox new`
  }
  if (hasAccounts) return null
  return `No account exists. Start with MAYFLY_INITIAL_API_KEY or MAYFLY_CATCH_ALL=open, or register one;\nthe response contains its API key:\n\n  curl ${url}/v1/accounts -H 'Content-Type: application/json' -d '{"email":"you@example.com"}'`
}

/** Anyone with an API key can make the service call into the networks that it may reach. */
function privateNetworkWarning(config: Config): string | null {
  const blocks = config.MAYFLY_OUTBOUND_ALLOW.join(', ')
  const reachable = config.MAYFLY_ALLOW_PRIVATE_NETWORK ? 'every address' : blocks
  if (reachable === '') return null
  return `Warning: webhooks and link checks may reach ${reachable}, including private\nnetworks. Anyone with an API key can make this machine send requests to them.`
}
