import { once } from 'node:events'
import { connect } from 'node:net'
import {
  type Check,
  type CheckContext,
  type Finding,
  fine,
  isTestName,
  problem,
  reasonOf,
  warning,
} from './check.ts'

const TIMEOUT_MS = 5_000
const START_IT = 'Start it: mayfly serve'

/** Checks that the service responds on its two ports. */
export const portCheck: Check = {
  name: 'ports',
  run: async (context) => [
    await apiResponds(context),
    await smtpResponds(context),
    ...reachable(context),
  ],
}

async function apiResponds({ config }: CheckContext): Promise<Finding> {
  const { MAYFLY_HTTP_PORT: port } = config
  if (port === 0) return fine('MAYFLY_HTTP_PORT is 0 (any free port): the API is not checked')
  const address = `${localHost(config.MAYFLY_HTTP_HOST)}:${port}`
  try {
    const response = await fetch(`http://${address}/readyz`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.ok && text.includes('"ready"')) return fine(`the API is ready at ${address}`)
    if (response.status === 503) {
      return problem(
        `the API runs at ${address}, but it is not ready: ${failingChecks(text)}`,
        'See its log.',
      )
    }
    return problem(
      `another program responds at ${address}`,
      'Stop it, or give the service another MAYFLY_HTTP_PORT.',
    )
  } catch (error) {
    return warning(`the API does not respond at ${address} (${reasonOf(error)})`, START_IT)
  }
}

async function smtpResponds({ config }: CheckContext): Promise<Finding> {
  const { MAYFLY_SMTP_PORT: port } = config
  if (port === 0) return fine('MAYFLY_SMTP_PORT is 0 (any free port): SMTP is not checked')
  const host = localHost(config.MAYFLY_SMTP_HOST)
  const address = `${host}:${port}`
  const socket = connect({ host, port })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response in time')))
  try {
    const [greeting] = await once(socket, 'data')
    if (String(greeting).startsWith('220 ')) {
      socket.write('QUIT\r\n')
      return fine(`SMTP is ready at ${address}`)
    }
    return problem(
      `another program responds at ${address}`,
      'Stop it, or give the service another MAYFLY_SMTP_PORT.',
    )
  } catch (error) {
    return warning(`SMTP does not respond at ${address} (${reasonOf(error)})`, START_IT)
  } finally {
    socket.destroy()
  }
}

/** Mail for a real domain comes from other machines, which cannot reach a loopback address. */
function reachable({ config }: CheckContext): readonly Finding[] {
  const isLocal = /^(?:127\.|localhost$|::1$)/.test(config.MAYFLY_SMTP_HOST)
  const real = config.MAYFLY_DOMAINS.filter((domain) => !isTestName(domain))
  if (!isLocal || real.length === 0) return []
  return [
    warning(
      `other machines cannot deliver mail for ${real.join(', ')} to ${config.MAYFLY_SMTP_HOST}`,
      'Set MAYFLY_SMTP_HOST=0.0.0.0 and forward port 25 to MAYFLY_SMTP_PORT, or use a relay.',
    ),
  ]
}

function localHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}

/** What a response of /readyz says that fails. */
function failingChecks(text: string): string {
  try {
    const { checks = {} }: { readonly checks?: Readonly<Record<string, string>> } = JSON.parse(text)
    return Object.entries(checks)
      .map(([name, reason]) => `${name} (${reason})`)
      .join(', ')
  } catch {
    return text.slice(0, 100)
  }
}
