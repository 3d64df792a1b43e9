/** A rule by which an inbox refuses mail. */
export type FaultRule = {
  readonly phase: 'authentication' | 'sender' | 'recipient' | 'data'
  /** From 400 to 599. */
  readonly code: number
  /** The text of the reply, after the code. */
  readonly text?: string | undefined
  /** Refuse this many. Without `times` and `probability`, refuse all. */
  readonly times?: number | undefined
  /** Refuse each with this probability in percent. */
  readonly probability?: number | undefined
}

/** The rules of an inbox that are not used up; `expiresAt` is null without rules. */
export type Faults = {
  readonly rules: readonly {
    readonly phase: FaultRule['phase']
    readonly code: number
    readonly text: string
    readonly timesLeft: number | null
    readonly probability: number | null
  }[]
  readonly expiresAt: string | null
}
