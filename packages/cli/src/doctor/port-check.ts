import { once } from 'node:events'
import { connect } from 'node:net'
import {
  type Check,
  type Finding,
  fine,
  type Patient,
  problem,
  reasonOf,
  warning,
} from './finding.ts'
import { isTestName } from './names.ts'

const TIMEOUT_MS = 5_000
const START_IT = 'Start it: mayfly serve'

/** Whether the service answers on its two ports. */
export const portCheck: Check = {
  name: 'ports',
  look: async (patient) => [
    await httpAnswers(patient),
    await smtpAnswers(patient),
    ...reachable(patient),
  ],
}

async function httpAnswers({ config }: Patient): Promise<Finding> {
  const { MAYFLY_HTTP_PORT: port } = config
  if (port === 0) return fine('the API takes any free port, which is not looked for')
  const address = `${localHost(config.MAYFLY_HTTP_HOST)}:${port}`
  try {
    const answer = await fetch(`http://${address}/readyz`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    if (answer.ok && text.includes('"ready"')) return fine(`the API is ready at ${address}`)
    if (answer.status === 503) {
      return problem(`the API runs at ${address}, but its store does not answer`, 'See its log.')
    }
    return problem(
      `something else answers at ${address}`,
      'Stop it, or give the service another MAYFLY_HTTP_PORT.',
    )
  } catch (error) {
    return warning(`no API answers at ${address} (${reasonOf(error)})`, START_IT)
  }
}

async function smtpAnswers({ config }: Patient): Promise<Finding> {
  const { MAYFLY_SMTP_PORT: port } = config
  if (port === 0) return fine('mail is taken at any free port, which is not looked for')
  const host = localHost(config.MAYFLY_SMTP_HOST)
  const address = `${host}:${port}`
  const socket = connect({ host, port })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')))
  try {
    const [greeting] = await once(socket, 'data')
    if (String(greeting).startsWith('220 ')) {
      socket.write('QUIT\r\n')
      return fine(`mail is taken at ${address}`)
    }
    return problem(
      `something else answers at ${address}`,
      'Stop it, or give the service another MAYFLY_SMTP_PORT.',
    )
  } catch (error) {
    return warning(`nothing takes mail at ${address} (${reasonOf(error)})`, START_IT)
  } finally {
    socket.destroy()
  }
}

/** Real domains on a port that only this machine sees get no mail. */
function reachable({ config }: Patient): readonly Finding[] {
  const isLocal = /^(?:127\.|localhost$|::1$)/.test(config.MAYFLY_SMTP_HOST)
  const real = config.MAYFLY_DOMAINS.filter((domain) => !isTestName(domain))
  if (!isLocal || real.length === 0) return []
  return [
    warning(
      `mail for ${real.join(', ')} cannot come from other machines to ${config.MAYFLY_SMTP_HOST}`,
      'Set MAYFLY_SMTP_HOST=0.0.0.0 and lead port 25 to MAYFLY_SMTP_PORT, or put a relay before it.',
    ),
  ]
}

function localHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}
