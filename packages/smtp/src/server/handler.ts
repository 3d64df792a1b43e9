import type { Credentials, TransmissionType } from '../protocol/interface.ts'
import { type CloseReply, REPLIES, storedReply } from '../protocol/replies.ts'

/** The sender of a mail and its connection. */
export type Envelope = {
  /** Empty for the null sender. */
  readonly mailFrom: string
  readonly remoteAddress: string
  /** The client's name in HELO or EHLO. */
  readonly helo: string | null
  /** The protocol, e.g. `TLSv1.3`, or null without TLS. */
  readonly tls: string | null
  readonly smtpUtf8: boolean
  /** The value of the SIZE parameter, or null. */
  readonly declaredSizeBytes: number | null
  /** The identity authenticated by AUTH; null without it. */
  readonly user: User | null
}

/** A client that has authenticated. */
export type User = {
  /** As the client gave it. */
  readonly name: string
  /** The result of `authenticate`, for `admit` and `receive`. */
  readonly identity: string | null
}

/** The connection of a client that authenticates. */
type Client = Pick<Envelope, 'remoteAddress'>

/** The result of `authenticate`. */
export type AuthenticateResult =
  | { readonly state: 'accepted'; readonly identity: string | null }
  | { readonly state: 'refused' | 'unavailable' }
  /** Refused with a reply of the handler's own: a code from 400 to 599 and a text, on one line. */
  | { readonly state: 'fault'; readonly reply: string }

/** The result of `admitSender`. */
export type AdmitSenderResult =
  | { readonly state: 'accepted' }
  | { readonly state: 'refused'; readonly why: 'unavailable' | 'storage_full' }
  /** With a reply of the handler's own. */
  | { readonly state: 'refused'; readonly why: 'fault'; readonly reply: string }

/** An admitted recipient; a handler may add properties that `receive` needs. */
export type Recipient = { readonly address: string }

/** The result of `admit`. */
export type AdmitResult<R extends Recipient> =
  | { readonly state: 'accepted'; readonly recipient: R }
  | { readonly state: 'refused'; readonly why: 'unknown' | 'full' | 'unavailable' | 'storage_full' }
  /** With a reply of the handler's own: a code from 400 to 599 and a text, on one line. */
  | { readonly state: 'refused'; readonly why: 'fault'; readonly reply: string }

/** A complete mail. */
export type IncomingMail<R extends Recipient> = {
  readonly envelope: Envelope
  /** In the order of RCPT; a client may name one twice. */
  readonly recipients: readonly R[]
  /** As sent, without dot-stuffing; nothing is added. */
  readonly raw: Buffer
  readonly transcript: readonly string[]
  readonly protocol: TransmissionType
}

/** The result of `receive`. */
export type ReceiveResult =
  | 'stored'
  /** Stored, and the reply names this id: printable ASCII without spaces. */
  | { readonly storedAs: string }
  | 'inbox_full'
  | 'storage_full'
  | 'unavailable'
  /** Not stored, with a reply of the handler's own. */
  | { readonly reply: string }

/** Why a mail with accepted recipients was not passed to `receive`, or failed there. */
export type RejectReason =
  | 'too_large'
  | 'no_memory'
  | 'too_slow'
  | 'timed_out'
  | 'connection_lost'
  | 'client_error'
  | 'shutting_down'
  | 'tls_failed'
  | 'handler_failed'

/** A mail that was rejected after its recipients had been accepted. */
export type RejectedMail<R extends Recipient> = {
  readonly envelope: Envelope
  readonly recipients: readonly R[]
  /** The reply to the client, even if the connection was lost before it could be sent. */
  readonly reply: string
  readonly reason: RejectReason
}

/** A TLS handshake after STARTTLS that failed, or after which the client left at once. */
export type FailedHandshake = {
  readonly remoteAddress: string
  /** The client's name in EHLO. */
  readonly helo: string | null
  /** Such as `the client sent the TLS alert "unknown ca"`. */
  readonly reason: string
}

/** The functions that the user of the server provides. */
export type MailHandler<R extends Recipient = Recipient> = {
  /** Without it, AUTH is not offered. */
  authenticate?(credentials: Credentials, client: Client): Promise<AuthenticateResult>
  /** Without it, every sender is accepted. */
  admitSender?(envelope: Envelope): Promise<AdmitSenderResult> | AdmitSenderResult
  admit(address: string, envelope: Envelope): Promise<AdmitResult<R>> | AdmitResult<R>
  /** 'stored' must mean durable: the client gets its 250 right after. */
  receive(mail: IncomingMail<R>): Promise<ReceiveResult>
  /** For diagnostics. Not called for refusals of `receive` itself. */
  rejected(mail: RejectedMail<R>): void
  /** For diagnostics. */
  handshakeFailed?(failed: FailedHandshake): void
}

/** The reply for a refused recipient. */
export const REFUSAL_REPLIES = {
  unknown: REPLIES.unknownRecipient,
  full: REPLIES.inboxFull,
  unavailable: REPLIES.storageFailing,
  storage_full: REPLIES.storageFull,
} as const

/** The reply to refused credentials. */
export const BAD_CREDENTIALS_REPLY: string = REPLIES.badCredentials

const RECEIVE_REPLIES: Readonly<Record<Exclude<ReceiveResult, object> | 'failed', string>> = {
  stored: REPLIES.stored,
  inbox_full: REPLIES.inboxFull,
  storage_full: REPLIES.storageFull,
  unavailable: REPLIES.storageFailing,
  failed: REPLIES.storageFailing,
}

/** The reply for a mail. */
export function receiveReply(result: ReceiveResult | 'failed'): string {
  if (typeof result === 'string') return RECEIVE_REPLIES[result]
  return 'reply' in result ? result.reply : storedReply(result.storedAs)
}

/** Why a mail in progress is lost when the session ends; null when the client chose to end it. */
export const LOSS_REASONS: Readonly<Record<CloseReply, RejectReason | null>> = {
  goodbye: null,
  idle: 'timed_out',
  evicted: 'timed_out',
  sessionTooLong: 'timed_out',
  tooSlow: 'too_slow',
  shuttingDown: 'shutting_down',
  unanswered: 'handler_failed',
  connectionLost: 'connection_lost',
  tooManyErrors: 'client_error',
  tooManyUnknown: 'client_error',
  endlessLine: 'client_error',
  notHttp: 'client_error',
  badChunk: 'client_error',
  tooLarge: 'too_large',
}

/** A handler that never throws: an error becomes a result. */
export type SafeHandler<R extends Recipient> = Required<Omit<MailHandler<R>, 'receive'>> & {
  receive(mail: IncomingMail<R>): Promise<ReceiveResult | 'failed'>
}

/** Wraps a handler; `onError` is called with its exceptions. */
export function safeHandler<R extends Recipient>(
  handler: MailHandler<R>,
  onError: (error: unknown) => void,
): SafeHandler<R> {
  const failed = <T>(error: unknown, result: T): T => {
    onError(error)
    return result
  }
  const refused = { state: 'refused', why: 'unavailable' } as const
  const answer = <T>(
    ask: () => Promise<T> | T,
  ): Promise<T | typeof refused> | T | typeof refused => {
    try {
      const result = ask()
      if (!(result instanceof Promise)) return result
      return result.catch((error: unknown) => failed(error, refused))
    } catch (error) {
      return failed(error, refused)
    }
  }
  return {
    authenticate: async (credentials, client) => {
      try {
        return (await handler.authenticate?.(credentials, client)) ?? { state: 'refused' }
      } catch (error) {
        return failed(error, { state: 'unavailable' })
      }
    },
    admitSender: (envelope) =>
      answer(() => handler.admitSender?.(envelope) ?? { state: 'accepted' as const }),
    admit: (address, envelope) => answer(() => handler.admit(address, envelope)),
    receive: async (mail) => {
      try {
        return await handler.receive(mail)
      } catch (error) {
        return failed(error, 'failed')
      }
    },
    rejected: (mail) => {
      try {
        handler.rejected(mail)
      } catch (error) {
        failed(error, undefined)
      }
    },
    handshakeFailed: (handshake) => {
      try {
        handler.handshakeFailed?.(handshake)
      } catch (error) {
        failed(error, undefined)
      }
    },
  }
}
