const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits before attempts 2 to 5. Attempt 1 is made at once. */
const RETRY_DELAYS_MS: readonly number[] = [5 * SECOND, MINUTE, 10 * MINUTE, HOUR]

/** Attempts of a delivery in all. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1

/** Share by which a wait may be longer, so that deliveries that failed together spread out. */
const JITTER_MAX = 0.2

/** Longest wait that a receiver may request. Past this its delivery log would look stuck. */
const RETRY_AFTER_MS_MAX = HOUR

/** An attempt without a 2xx response. */
export type FailedAttempt = {
  /** From 1. */
  readonly attempt: number
  readonly failedAt: Date
  /** Null when there was no response. */
  readonly status: number | null
  /** The Retry-After header of the response. */
  readonly retryAfter: string | null
}

/** Whether the receiver accepted the event. */
export function isDelivered(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Whether the receiver asks for no more events; its endpoint is then disabled. */
export function isGone(status: number | null): boolean {
  return status === 410
}

/**
 * When to try again; null after the last attempt, and after a 410.
 *
 * Retry-After may lengthen our delay, never shorten it. `random` is from 0 to 1.
 */
export function nextAttemptAt(failed: FailedAttempt, random: number): Date | null {
  const delayMs = RETRY_DELAYS_MS[failed.attempt - 1]
  if (delayMs === undefined || isGone(failed.status)) return null
  const jitteredMs = Math.round(delayMs * (1 + JITTER_MAX * random))
  const askedMs = Math.min(retryAfterMs(failed.retryAfter, failed.failedAt), RETRY_AFTER_MS_MAX)
  return new Date(failed.failedAt.getTime() + Math.max(jitteredMs, askedMs))
}

/** The wait that the header requests, in seconds or as a date; 0 when it is neither. */
function retryAfterMs(header: string | null, now: Date): number {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * SECOND
  // A date without GMT has no time zone; senders do not use that form.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? 0 : Math.max(at - now.getTime(), 0)
}
