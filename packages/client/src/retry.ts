import { ApiError, ConnectionError } from './errors.ts'

/** How often a call is sent; after a rate limit, as often as its time allows. */
export const ATTEMPTS_MAX = 4

/** Delay before the first retry; it doubles with each further one. */
const BACKOFF_MS = 250

/** Rate limits: the call was refused before it had any effect, and is soon allowed again. */
const RATE_LIMITED: ReadonlySet<string> = new Set([
  'requests_per_minute_exceeded',
  'concurrent_waits_exceeded',
])

/** Responses of a gateway without a service behind it; 503 also of a service that stops. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

/** A failed attempt of a call. */
export type FailedAttempt = {
  readonly error: unknown
  /** Its number, from 1. */
  readonly attempt: number
  /** Whether the call is idempotent. */
  readonly isRepeatable: boolean
}

/**
 * The delay before a call is sent again, or null when it must not be.
 *
 * After a lost connection or a 502, 503 or 504 only an idempotent call is retried: the first one
 * may have taken effect. A rate limit (429) is applied before the call, so every call is retried.
 * Other statuses are final. The caller decides whether there is time for the delay.
 */
export function retryDelayMs({ error, attempt, isRepeatable }: FailedAttempt): number | null {
  const backoffMs = BACKOFF_MS * 2 ** Math.min(attempt - 1, 4) * (0.8 + Math.random() * 0.4)
  if (error instanceof ConnectionError) return isRepeatable ? backoffMs : null
  if (!(error instanceof ApiError)) return null
  const mayRetry = isRateLimited(error) || (isRepeatable && UNAVAILABLE.has(error.status))
  return mayRetry ? Math.max(backoffMs, (error.retryAfterSeconds ?? 0) * 1000) : null
}

/** Whether a rate limit refused the call, which had no effect then. */
export function isRateLimited(error: unknown): boolean {
  return error instanceof ApiError && RATE_LIMITED.has(error.code)
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
