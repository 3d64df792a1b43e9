/** A user name and a password. */
export type Credentials = { readonly username: string; readonly password: string }

/** A message of a mailbox. Its id is also its UIDL: printable ASCII, at most 70 characters. */
export type MessageEntry = { readonly id: string; readonly sizeBytes: number }

/** Settings of one session. */
export type Pop3Options = {
  /** Whether STLS is offered. */
  readonly offersTls: boolean
  readonly lineBytesMax: number
  readonly errorsMax: number
}

/** The result of `advance`: a request of the machine, or its state. */
export type Step =
  | { readonly kind: 'needs_input' }
  /** Send the output before going on. */
  | { readonly kind: 'output_full' }
  /** The previous step has no response yet. */
  | { readonly kind: 'waiting' }
  /** Respond with `opened` or `refused`. */
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** Respond with `content`: the whole message, or its header and so many lines of its body. */
  | { readonly kind: 'content'; readonly id: string; readonly bodyLines: number | null }
  /** Respond with `deleted`. */
  | { readonly kind: 'delete'; readonly ids: readonly string[] }
  /** Send the output, do the TLS handshake, then call `secured`. */
  | { readonly kind: 'secure' }
  /** Send the output, then close the connection. */
  | { readonly kind: 'closed' }
