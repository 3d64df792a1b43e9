/** The part of a request that says which messages count. */
type Given = {
  readonly for?: 'message' | 'otp'
  readonly since?: string | undefined
  readonly after?: string | undefined
  readonly from?: string | undefined
  readonly subjectContains?: string | undefined
  readonly textContains?: string | undefined
}

/** Which messages count, as the features take it. */
export function waitQuery(given: Given) {
  return {
    for: given.for ?? 'message',
    sinceMs: given.since === undefined ? null : Date.parse(given.since),
    afterSequence: given.after === undefined ? 0 : Number(given.after),
    from: given.from ?? null,
    subjectContains: given.subjectContains ?? null,
    textContains: given.textContains ?? null,
  }
}
