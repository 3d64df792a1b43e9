import { type Listener, type ListenOptions, startListener } from '../listener/listener.ts'
import { SharedUsage } from '../listener/shared-usage.ts'
import { REPLIES } from '../protocol/replies.ts'
import { type MailHandler, type Recipient, safeHandler } from './handler.ts'
import { SMTP_LIMITS, type SmtpLimits } from './limits.ts'
import { Session } from './session.ts'

/** The options of a server. Exceptions of the handler are errors of the server, too. */
export type SmtpServerOptions<R extends Recipient> = ListenOptions & {
  readonly handler: MailHandler<R>
  /** The name in the greeting and in EHLO. */
  readonly hostname: string
  readonly limits?: Partial<SmtpLimits>
  /**
   * From `createUsageMemory`, for servers in several threads: the limits on connections and memory
   * then hold for all of them together.
   */
  readonly usageMemory?: SharedArrayBuffer | undefined
}

/** A running server. It lets mails that are being sent finish before it stops. */
export type SmtpServer = Listener

/** Starts listening. */
export function startSmtpServer<R extends Recipient>(
  options: SmtpServerOptions<R>,
): Promise<SmtpServer> {
  const limits = { ...SMTP_LIMITS, ...options.limits }
  const usage = new SharedUsage(options.usageMemory)
  const session = {
    handler: safeHandler(options.handler, options.onError),
    protocol: {
      hostname: options.hostname,
      offersTls: options.tls !== null,
      offersAuth: options.handler.authenticate !== undefined,
      asksSender: options.handler.admitSender !== undefined,
      messageBytesMax: limits.messageBytesMax,
      recipientsMax: limits.recipientsMax,
      lineBytesMax: limits.lineBytesMax,
      errorsMax: limits.errorsMax,
    },
    limits,
    inFlight: usage,
    now: options.now,
    onError: options.onError,
  }
  return startListener({
    ...options,
    limits,
    refusal: `${REPLIES.tooManyConnections}\r\n`,
    usage,
    openSession: (transport, client) => new Session(transport, { ...session, ...client }),
  })
}
