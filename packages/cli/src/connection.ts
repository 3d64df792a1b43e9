import { createInternalClient, type InternalClient, readLocalKey } from '@mayfly/client/internal'
import { readCredentials } from './credentials.ts'
import { CommandFailed, UsageError } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** Options of every command that calls the service. */
export const CONNECTION_OPTIONS = {
  json: { type: 'boolean', about: 'print JSON' },
  url: {
    type: 'string',
    value: 'URL',
    about: 'URL of the service (default: MAYFLY_BASE_URL, then the last signup)',
  },
  'api-key': {
    type: 'string',
    value: 'KEY',
    about: 'API key (default: MAYFLY_API_KEY, then the saved key)',
  },
} as const

/** The service and the key as given on the command line. */
export type ConnectionChoice = {
  readonly url: string | undefined
  readonly 'api-key': string | undefined
}

/** Whether a host name, or an address with or without brackets, means this machine. */
export function isLocalHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host)
}

/** Where `mayfly serve` listens by default. */
const LOCAL_URL = 'http://127.0.0.1:8025'

/** The service's URL: from the option, the environment, the last signup, or the default. */
export async function serviceUrl(
  terminal: Terminal,
  { url }: Pick<ConnectionChoice, 'url'>,
): Promise<string> {
  const given = url ?? (terminal.env['MAYFLY_BASE_URL'] || undefined)
  const chosen = given ?? (await readCredentials(terminal)).lastUrl ?? LOCAL_URL
  if (!URL.canParse(chosen) || !/^https?:$/.test(new URL(chosen).protocol)) {
    throw new UsageError(`"${chosen}" is not the URL of a service, such as ${LOCAL_URL}.`)
  }
  return chosen.replace(/\/+$/, '')
}

/** A client for the chosen service. */
export async function connect(
  terminal: Terminal,
  choice: ConnectionChoice,
): Promise<InternalClient> {
  return createInternalClient(await chooseService(terminal, choice))
}

/** The chosen service, and the key to call it with. */
export async function chooseService(
  terminal: Terminal,
  choice: ConnectionChoice,
): Promise<{ readonly baseUrl: string; readonly apiKey: string }> {
  const baseUrl = await serviceUrl(terminal, choice)
  const given = choice['api-key'] ?? (terminal.env['MAYFLY_API_KEY'] || undefined)
  const apiKey =
    given ??
    (await readCredentials(terminal)).keys[baseUrl]?.apiKey ??
    (await readLocalKey({ baseUrl, signal: terminal.interrupted }))
  if (apiKey === null) {
    throw new CommandFailed(
      `there is no API key for ${baseUrl}. Run \`mayfly signup you@example.com\` to get one, or set MAYFLY_API_KEY.`,
    )
  }
  return { baseUrl, apiKey }
}
