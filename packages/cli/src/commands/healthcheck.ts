import { defineCommand } from '../command.ts'
import { CommandFailed } from '../exit.ts'
import { print } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** Shorter than the intervals at which container runtimes probe. */
const TIMEOUT_MS = 4_000

/** Addresses to listen on that mean every address, and one of these to connect to. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

/** Queries the readiness of a service. */
export const healthcheck = defineCommand({
  name: 'healthcheck',
  summary: 'exit with 0 when the service on this machine is ready, for containers',
  about:
    'Requests GET /readyz at MAYFLY_HTTP_HOST and MAYFLY_HTTP_PORT, where `mayfly serve` with the same\nenvironment listens. Needs no API key. Exits with 1 and prints what fails unless the\nservice is ready.',
  options: { url: { type: 'string', value: 'URL', about: 'URL of another service' } },
  example: 'mayfly healthcheck && echo ready',
  run: async ({ options, terminal }) => {
    const url = options.url?.replace(/\/+$/, '') ?? ownUrl(terminal)
    const response = await ask(`${url}/readyz`, terminal.interrupted)
    if (!response.ok) {
      throw new CommandFailed(`${url} is not ready (${response.status}): ${await response.text()}`)
    }
    print(terminal, `${url} is ready`)
  },
})

function ownUrl({ env }: Terminal): string {
  const host = env['MAYFLY_HTTP_HOST'] || '127.0.0.1'
  const name = ANY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)
  return `http://${name}:${env['MAYFLY_HTTP_PORT'] || '8025'}`
}

async function ask(url: string, interrupted: AbortSignal): Promise<Response> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return await fetch(url, { signal })
  } catch (error) {
    const { cause = error } = error instanceof Error ? error : {}
    throw new CommandFailed(`${url}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
