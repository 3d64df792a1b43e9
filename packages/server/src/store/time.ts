/** Milliseconds as the ISO 8601 text that leaves the service. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The same where there may be none. */
export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms)
