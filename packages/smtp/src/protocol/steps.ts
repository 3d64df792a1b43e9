/** A mail under way, from MAIL to its end. `R` is what the receiver calls a recipient. */
export type Transaction<R> = {
  /** Empty for the null sender. */
  readonly mailFrom: string
  /** The size that the client declared, or null. */
  readonly declaredSizeBytes: number | null
  readonly smtpUtf8: boolean
  /** Those that were accepted, in order. */
  readonly recipients: readonly R[]
}

/** How a mail came in, in the words of RFC 3848 and RFC 6531, for a Received header. */
export type TransmissionType =
  | 'SMTP'
  | `ESMTP${'' | 'S'}${'' | 'A'}`
  | `UTF8SMTP${'' | 'S'}${'' | 'A'}`

/** Why the machine itself refused a mail whose recipients it had accepted. */
export type RefusedReason = 'too_large' | 'no_memory'

/** What the machine needs or has; see protocol.ts for the moves. */
export type Step<R> =
  /** It needs more bytes. */
  | { readonly kind: 'starved' }
  /** Its replies must be taken before it goes on. */
  | { readonly kind: 'brimming' }
  /** It still waits for the answer to its last step. */
  | { readonly kind: 'waiting' }
  /** Answer with `admit` or `refuse`. */
  | {
      readonly kind: 'recipient'
      readonly address: string
      readonly transaction: Transaction<R>
    }
  /** A whole mail: answer with `settle`. */
  | {
      readonly kind: 'mail'
      readonly transaction: Transaction<R>
      readonly raw: Buffer
      readonly transcript: readonly string[]
      readonly transmission: TransmissionType
    }
  /** The mail was refused, and the client has been told so. */
  | {
      readonly kind: 'turned_away'
      readonly transaction: Transaction<R>
      readonly reply: string
      readonly reason: RefusedReason
    }
  /** Send what there is to send, then do the TLS handshake, then call `secured`. */
  | { readonly kind: 'secure' }
  /** Send what there is to send, then close. */
  | { readonly kind: 'closed'; readonly reply: string }
