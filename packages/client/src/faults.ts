/** A rule by which an inbox refuses mail. */
export type FaultRule = (SmtpFault | ApiFault) & {
  /** The text of the reply, after the code; of an API the message of its error. */
  readonly text?: string | undefined
  /** Refuse this many. Without `times` and `probability`, refuse all. */
  readonly times?: number | undefined
  /** Refuse each with this probability in percent. */
  readonly probability?: number | undefined
}

/** A refusal in an SMTP transaction. */
type SmtpFault = {
  readonly phase: 'authentication' | 'sender' | 'recipient' | 'data'
  /** From 400 to 599. */
  readonly code: number
}

/** How a call of a provider's API is answered; without `status` it succeeds after the delay. */
type ApiFault = {
  readonly phase: 'api'
  /** From 400 to 599. */
  readonly status?: number | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly delayMs?: number | undefined
}

type ActiveFault =
  | (SmtpFault & { readonly status?: undefined })
  | {
      readonly phase: 'api'
      readonly code?: undefined
      readonly status: number | null
      readonly retryAfterSeconds: number | null
      readonly delayMs: number | null
    }

/** The rules of an inbox that are not used up; `expiresAt` is null without rules. */
export type Faults = {
  readonly rules: readonly (ActiveFault & {
    readonly text: string
    readonly timesLeft: number | null
    readonly probability: number | null
  })[]
  readonly expiresAt: string | null
}
