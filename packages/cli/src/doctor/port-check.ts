import { once } from 'node:events'
import { connect } from 'node:net'
import { isLocalHost } from '../connection.ts'
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
    ...(await mailPortResponds(context)),
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

/** Whether the node of these settings is ready: `yes`, the checks that fail, or `no answer`. */
export async function readiness(config: CheckContext['config']): Promise<string> {
  const address = `${localHost(config.MAYFLY_HTTP_HOST)}:${config.MAYFLY_HTTP_PORT}`
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`http://${address}/readyz`, { signal })
    const text = await response.text()
    return response.ok ? 'yes' : failingChecks(text)
  } catch {
    return 'no answer'
  }
}

async function smtpResponds({ config }: CheckContext): Promise<Finding> {
  const { MAYFLY_SMTP_PORT: port } = config
  if (port === 0) return fine('MAYFLY_SMTP_PORT is 0 (any free port): SMTP is not checked')
  const host = localHost(config.MAYFLY_SMTP_HOST)
  const address = `${host}:${port}`
  try {
    // This machine may count as a proxy, from which a connection begins with a header.
    const first = config.MAYFLY_SMTP_PROXY_PROTOCOL ? 'PROXY UNKNOWN\r\n' : ''
    if ((await greetingOf({ host, port, first })).startsWith('220 ')) {
      return fine(`SMTP is ready at ${address}`)
    }
    return problem(
      `another program responds at ${address}`,
      'Stop it, or give the service another MAYFLY_SMTP_PORT.',
    )
  } catch (error) {
    return warning(`SMTP does not respond at ${address} (${reasonOf(error)})`, START_IT)
  }
}

/** The first bytes that a server sends. */
async function greetingOf(server: {
  readonly host: string
  readonly port: number
  readonly first?: string
}): Promise<string> {
  const { host, port, first = '' } = server
  const socket = connect({ host, port })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response in time')))
  if (first !== '') socket.write(first)
  try {
    const [greeting] = await once(socket, 'data')
    socket.write('QUIT\r\n')
    return String(greeting)
  } finally {
    socket.destroy()
  }
}

/** Other mail servers connect to port 25 of the mail host, and to no other port. */
async function mailPortResponds(context: CheckContext): Promise<readonly Finding[]> {
  const { server, config, mailPort } = context
  const mailHost = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
  if (isTestName(mailHost)) return []
  const resolver = server.createResolver({
    servers: config.MAYFLY_DNS_SERVERS,
    timeoutMs: 2_000,
    tries: 2,
  })
  try {
    const [host] = await resolver.addresses(mailHost)
    // The check of DNS reports it.
    if (host === undefined) return []
    const greeting = await greetingOf({ host, port: mailPort })
    if (greeting.startsWith(`220 ${mailHost} `)) return [fine(`${mailHost} responds on port 25`)]
    const text = `another mail server responds on port 25 of ${mailHost}: ${greeting.trim().slice(0, 100)}`
    return [problem(text, 'Stop it, and forward port 25 to MAYFLY_SMTP_PORT.')]
  } catch (error) {
    // Not a problem: many networks cannot reach their own public address.
    return [
      warning(
        `${mailHost} does not respond on port 25 to this machine (${reasonOf(error)})`,
        'Forward port 25 to MAYFLY_SMTP_PORT, open it in the firewall and at the provider, and try from elsewhere.',
      ),
    ]
  } finally {
    resolver.close()
  }
}

/** Mail for a real domain comes from other machines, which cannot reach a loopback address. */
function reachable({ config }: CheckContext): readonly Finding[] {
  const real = config.MAYFLY_DOMAINS.filter((domain) => !isTestName(domain))
  if (!isLocalHost(config.MAYFLY_SMTP_HOST) || real.length === 0) return []
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

/** The failed checks in a response of /readyz. */
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
