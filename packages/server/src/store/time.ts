/** Milliseconds since 1970 as ISO 8601 text. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The same for a value that may be null. */
export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms)
