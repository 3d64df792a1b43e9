/** What every call takes. */
export type CallOptions = {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
