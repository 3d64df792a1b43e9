import { REPLIES } from '../protocol/replies.ts'
import type { TransmissionType } from '../protocol/steps.ts'

/** Who sends a mail, and how the client came. */
export type Envelope = {
  /** Empty for the null sender. */
  readonly mailFrom: string
  readonly remoteAddress: string
  /** What the client called itself. */
  readonly helo: string | null
  /** The protocol, e.g. `TLSv1.3`, or null without TLS. */
  readonly tls: string | null
  readonly smtpUtf8: boolean
  /** The size that the client declared, or null. */
  readonly declaredSizeBytes: number | null
}

/** A recipient that was admitted; the handler may add to it whatever it needs later. */
export type Recipient = { readonly address: string }

/** Whether mail for an address is taken. All of 'unknown' get one same reply. */
export type Admission<R extends Recipient> =
  | { readonly state: 'accepted'; readonly recipient: R }
  | { readonly state: 'refused'; readonly why: 'unknown' | 'full' | 'unavailable' | 'storage_full' }

/** A whole mail. */
export type IncomingMail<R extends Recipient> = {
  readonly envelope: Envelope
  /** In the order of RCPT; a client may name one twice. */
  readonly recipients: readonly R[]
  /** As sent, with stuffed dots undone and nothing added. */
  readonly raw: Buffer
  readonly transcript: readonly string[]
  readonly protocol: TransmissionType
}

/** What became of a mail. */
export type Receipt = 'stored' | 'inbox_full' | 'storage_full' | 'unavailable'

/** Why a mail with accepted recipients did not come to `receive`, or failed there. */
export type TurnedAwayReason =
  | 'too_large'
  | 'no_memory'
  | 'too_slow'
  | 'timed_out'
  | 'connection_lost'
  | 'client_error'
  | 'shutting_down'
  | 'handler_failed'

/** A mail that was turned away after its recipients had been accepted. */
export type TurnedAway<R extends Recipient> = {
  readonly envelope: Envelope
  readonly recipients: readonly R[]
  /** What the client was told, or would have been. */
  readonly reply: string
  readonly reason: TurnedAwayReason
}

/** What the receiving side asks and tells. */
export type MailHandler<R extends Recipient = Recipient> = {
  admit(address: string, envelope: Envelope): Promise<Admission<R>> | Admission<R>
  /** 'stored' means durable: the client is told 250 right after. */
  receive(mail: IncomingMail<R>): Promise<Receipt>
  /** For the owner's diagnostics. Not called for what `receive` itself answered. */
  turnedAway(notice: TurnedAway<R>): void
}

/** What the client hears of a refused recipient. */
export const REFUSAL_REPLIES = {
  unknown: REPLIES.unknownRecipient,
  full: REPLIES.inboxFull,
  unavailable: REPLIES.storageFailing,
  storage_full: REPLIES.storageFull,
} as const

/** What the client hears of its mail. */
export const RECEIPT_REPLIES: Readonly<Record<Receipt | 'failed', string>> = {
  stored: REPLIES.stored,
  inbox_full: REPLIES.inboxFull,
  storage_full: REPLIES.storageFull,
  unavailable: REPLIES.storageFailing,
  failed: REPLIES.storageFailing,
}

/** Why a mail under way is lost when a session ends so; null when the client wished it. */
export function lossReason(reply: string): TurnedAwayReason | null {
  switch (reply) {
    case REPLIES.goodbye:
      return null
    case REPLIES.idle:
    case REPLIES.sessionTooLong:
      return 'timed_out'
    case REPLIES.tooSlow:
      return 'too_slow'
    case REPLIES.shuttingDown:
      return 'shutting_down'
    case REPLIES.unanswered:
      return 'handler_failed'
    case REPLIES.connectionLost:
      return 'connection_lost'
    default:
      return 'client_error'
  }
}

/** A handler that answers whatever happens: what it throws becomes a value. */
export type SafeHandler<R extends Recipient> = {
  admit(address: string, envelope: Envelope): Promise<Admission<R>> | Admission<R>
  receive(mail: IncomingMail<R>): Promise<Receipt | 'failed'>
  turnedAway(notice: TurnedAway<R>): void
}

/** Makes a handler safe; `onError` is told what it threw. */
export function safeHandler<R extends Recipient>(
  handler: MailHandler<R>,
  onError: (error: unknown) => void,
): SafeHandler<R> {
  const failed = <T>(error: unknown, answer: T): T => {
    onError(error)
    return answer
  }
  const refused: Admission<R> = { state: 'refused', why: 'unavailable' }
  return {
    admit: (address, envelope) => {
      try {
        const admission = handler.admit(address, envelope)
        if (!(admission instanceof Promise)) return admission
        return admission.catch((error: unknown) => failed(error, refused))
      } catch (error) {
        return failed(error, refused)
      }
    },
    receive: async (mail) => {
      try {
        return await handler.receive(mail)
      } catch (error) {
        return failed(error, 'failed')
      }
    },
    turnedAway: (notice) => {
      try {
        handler.turnedAway(notice)
      } catch (error) {
        failed(error, undefined)
      }
    },
  }
}
