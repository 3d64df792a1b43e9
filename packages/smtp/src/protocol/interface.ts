// The interface of the protocol machine: the options it is created with, the steps it returns.

import type { CloseReply } from './replies.ts'

/** Settings of one session. */
export type ProtocolOptions = {
  readonly hostname: string
  /** Whether STARTTLS is offered. */
  readonly offersTls: boolean
  /** Whether AUTH is offered, with the mechanisms PLAIN and LOGIN. */
  readonly offersAuth: boolean
  /** Whether the machine's user decides on MAIL; otherwise every sender is accepted. */
  readonly asksSender: boolean
  readonly messageBytesMax: number
  readonly recipientsMax: number
  readonly lineBytesMax: number
  readonly errorsMax: number
}

/** A mail transaction, from MAIL to its end. `R` is the user's type for a recipient. */
export type Transaction<R> = {
  /** Empty for the null sender. */
  readonly mailFrom: string
  /** The value of the SIZE parameter, or null. */
  readonly declaredSizeBytes: number | null
  readonly smtpUtf8: boolean
  /** The accepted recipients, in order. */
  readonly recipients: readonly R[]
}

/** A user name and a password, from AUTH PLAIN or LOGIN. */
export type Credentials = { readonly username: string; readonly password: string }

/** The transmission type of RFC 3848 and RFC 6531, for a Received header. */
export type TransmissionType =
  | 'SMTP'
  | `ESMTP${'' | 'S'}${'' | 'A'}`
  | `UTF8SMTP${'' | 'S'}${'' | 'A'}`

/** Why the machine itself rejects a mail whose recipients were accepted. */
export type ContentRejection = {
  readonly reason: 'too_large' | 'no_memory'
  readonly reply: string
}

/** The result of `advance`: a request of the machine, or its state. */
export type Step<R> =
  | { readonly kind: 'needs_input' }
  /** `takeOutput` must be called before the machine continues. */
  | { readonly kind: 'output_full' }
  /** The previous step has no response yet. */
  | { readonly kind: 'waiting' }
  /** Respond with `admitSender` or `refuse`. */
  | { readonly kind: 'sender'; readonly transaction: Transaction<R> }
  /** Respond with `admit` or `refuse`. */
  | {
      readonly kind: 'recipient'
      readonly address: string
      readonly transaction: Transaction<R>
    }
  /** Respond with `authenticated` or `refuse`. */
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** A complete mail: respond with `settle`. */
  | {
      readonly kind: 'mail'
      readonly transaction: Transaction<R>
      readonly raw: Buffer
      readonly transcript: readonly string[]
      readonly transmission: TransmissionType
    }
  /** The mail was rejected; the reply is already in the output. */
  | ({ readonly kind: 'rejected'; readonly transaction: Transaction<R> } & ContentRejection)
  /** Send the output, do the TLS handshake, then call `secured`. */
  | { readonly kind: 'secure' }
  /** Send the output, then close the connection. */
  | { readonly kind: 'closed'; readonly reply: CloseReply }
