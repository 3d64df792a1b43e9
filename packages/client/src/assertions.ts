/** The mechanisms that sender checks know. */
export type SenderCheck = 'spf' | 'dkim' | 'dmarc'

/** One check of a message. */
export type Assertion =
  /** A one-time code was found. */
  | { readonly type: 'otpPresent' }
  /** The text occurs, as it is written here, in the subject or the body. */
  | { readonly type: 'containsText'; readonly text: string }
  /** A link answers with success; with `urlContains` only links that contain it are tried. */
  | { readonly type: 'linkResponds'; readonly urlContains?: string | undefined }
  /** The sender check gave the expected result, `pass` unless said otherwise. */
  | { readonly type: 'auth'; readonly check: SenderCheck; readonly expect?: string | undefined }

/** An assertion as it was saved, with what was left out filled in. */
export type SavedAssertion =
  | Exclude<Assertion, { type: 'auth' }>
  | { readonly type: 'auth'; readonly check: SenderCheck; readonly expect: string }

/** The outcome of one assertion. */
export type AssertionResult = {
  readonly type: string
  readonly passed: boolean
  readonly detail: string
}

/** The report of a set of assertions on one message. */
export type AssertionRun = {
  readonly passed: boolean
  readonly arrived: boolean
  /** Seconds from the call to the arrival; 0 when it was there already. */
  readonly arrivalSeconds: number | null
  readonly results: readonly AssertionResult[]
  readonly message: {
    readonly id: string
    readonly subject: string | null
    readonly receivedAt: string
  } | null
}
