import { type Client, createClient } from '@mayfly/client'
import { readCredentials } from './credentials.ts'
import { CommandFailed } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** Options of every command that talks to the service. */
export const SERVICE_OPTIONS = {
  json: { type: 'boolean', about: 'print JSON, for programs' },
  url: {
    type: 'string',
    value: 'URL',
    about: 'where the service is (MAYFLY_BASE_URL, that of the last signup)',
  },
  'api-key': {
    type: 'string',
    value: 'KEY',
    about: 'the key to use (MAYFLY_API_KEY, that of the signup)',
  },
} as const

/** Which service and which key were named. */
export type ServiceChoice = {
  readonly url: string | undefined
  readonly 'api-key': string | undefined
}

const LOCAL_URL = 'http://127.0.0.1:8025'

/** The address of the service: named, from the environment, of the last signup, or here. */
export async function serviceUrl(
  terminal: Terminal,
  { url }: Pick<ServiceChoice, 'url'>,
): Promise<string> {
  const named = url ?? (terminal.env['MAYFLY_BASE_URL'] || undefined)
  const chosen = named ?? (await readCredentials(terminal)).lastUrl ?? LOCAL_URL
  return chosen.replace(/\/+$/, '')
}

/** A client for the chosen service. */
export async function connect(terminal: Terminal, choice: ServiceChoice): Promise<Client> {
  const baseUrl = await serviceUrl(terminal, choice)
  const named = choice['api-key'] ?? (terminal.env['MAYFLY_API_KEY'] || undefined)
  const apiKey = named ?? (await readCredentials(terminal)).keys[baseUrl]?.apiKey
  if (apiKey === undefined) {
    throw new CommandFailed(
      `there is no key for ${baseUrl}. \`mayfly signup you@example.com\` gets one and remembers it; or set MAYFLY_API_KEY.`,
    )
  }
  return createClient({ baseUrl, apiKey })
}
