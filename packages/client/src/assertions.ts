/** The mechanisms of sender authentication. */
export type SenderCheck = 'spf' | 'dkim' | 'dmarc'

/** One check of a message. */
export type Assertion =
  /** A one-time code was found; `otpFormat`, such as `999999`, is the form that it must have. */
  | { readonly type: 'otpPresent'; readonly otpFormat?: string | undefined }
  /** The subject or the body contains the text; upper and lower case differ. */
  | { readonly type: 'containsText'; readonly text: string }
  /** A link responds with a 2xx status; `urlContains` limits which links are tried. */
  | { readonly type: 'linkResponds'; readonly urlContains?: string | undefined }
  /** The sender check has the expected result; by default `pass`. */
  | { readonly type: 'auth'; readonly check: SenderCheck; readonly expect?: string | undefined }
  /** Mail clients, such as `gmail` or `outlook.windows`, support so many percent of the HTML. */
  | {
      readonly type: 'htmlSupport'
      readonly clients?: readonly string[] | undefined
      readonly atLeast: number
    }

/** An assertion as it was saved, with defaults filled in. */
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
  /** Seconds from the call to the arrival; 0 when the message had already arrived. */
  readonly arrivalSeconds: number | null
  readonly results: readonly AssertionResult[]
  readonly message: {
    readonly id: string
    readonly subject: string | null
    readonly receivedAt: string
  } | null
}
