// The work of a receiving thread (threads/receiving-*), so that neither much mail nor hostile mail
// delays the API.
//
// The first connection may open the handler of mails: it is most of the memory of the thread, and
// many services run for long without a mail.

import { type SmtpServer, startSmtpServer } from '@mayfly/smtp'
import { networkCheck } from '../ip-address.ts'
import { elapsedMs } from '../platform/clock.ts'
import { OnDemand } from '../platform/on-demand.ts'
import { Throttle } from '../platform/throttle.ts'
import type { AdmittedRecipient } from '../receiving/admit.ts'
import type { ReceivingHandler } from '../receiving/handler.ts'
import { openThreadSignals } from '../signals/thread-signals.ts'
import type { MailHandling } from './mail-handling.ts'
import type {
  ReceivingHelpers,
  ReceivingOptions,
  ReceivingThreadData,
} from './receiving-options.ts'

/** The receiving side, listening. */
export type Receiving = {
  readonly port: number
  /** Throws when mails cannot be stored, or a thread has ended. */
  check(): Promise<void>
  stop(graceMs: number): Promise<void>
}

/** Shortest time between two signals that a client has connected. */
const CONNECTION_MS = 1_000

/** Starts to receive on this thread. */
export async function startReceiving(
  data: ReceivingThreadData,
  helpers: ReceivingHelpers,
): Promise<Receiving> {
  const { log, storing } = helpers
  const signals = openThreadSignals(data.signalsName)
  const handling = new OnDemand(async () => {
    // It loads while this thread does.
    storing?.start()
    const { openMailHandling } = await import('./mail-handling.ts')
    return openMailHandling(data, { ...helpers, signals })
  })
  const onError = (error: unknown) => log.error({ err: error }, 'receiving failed')
  const connections = new Throttle<null>(CONNECTION_MS, () =>
    signals.announce({ name: 'clientConnected' }),
  )
  const onConnection = () => {
    connections.add(null)
    handling.get().catch(onError)
  }
  const stop = async () => {
    connections.stop()
    await (await handling.last())?.stop()
    signals.close()
  }
  try {
    // A node is not ready while its connections to PostgreSQL fail, also before its first mail.
    if (storing === null) await handling.get()
    const smtp = await listen(handlerOf(handling, onError), data.options, { onConnection, onError })
    return {
      port: smtp.port,
      check: async () => handling.opened?.check(),
      stop: async (graceMs) => {
        await smtp.stop(graceMs)
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function listen(
  handler: ReceivingHandler,
  { config, hostName, port, tls, usageMemory }: ReceivingOptions,
  on: { readonly onConnection: () => void; readonly onError: (error: unknown) => void },
): Promise<SmtpServer> {
  return startSmtpServer<AdmittedRecipient>({
    handler,
    hostname: hostName,
    host: config.MAYFLY_SMTP_HOST,
    port,
    reusePort: config.MAYFLY_SMTP_THREADS > 1,
    tls,
    usageMemory,
    limits: { messageBytesMax: config.MAYFLY_SMTP_MAX_MESSAGE_BYTES },
    ...(config.MAYFLY_SMTP_PROXY_PROTOCOL
      ? { isProxy: networkCheck(config.MAYFLY_TRUSTED_PROXIES) }
      : {}),
    now: elapsedMs,
    ...on,
  })
}

/** Passes everything on; earlier calls wait until the handler is open. */
function handlerOf(
  handling: OnDemand<MailHandling>,
  onError: (error: unknown) => void,
): ReceivingHandler {
  const handler = async () => (await handling.get()).handler
  return {
    authenticate: async (...sent) => (await handler()).authenticate(...sent),
    admitSender: async (envelope) => (await handler()).admitSender(envelope),
    admit: async (...sent) => (await handler()).admit(...sent),
    receive: async (mail) => (await handler()).receive(mail),
    rejected: (mail) => void handler().then(({ rejected }) => rejected(mail), onError),
    handshakeFailed: (failed) =>
      void handler().then(({ handshakeFailed }) => handshakeFailed(failed), onError),
  }
}
