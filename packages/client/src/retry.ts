import { ApiError, ConnectionError } from './errors.ts'

/** Times that a call is sent in all. */
export const ATTEMPTS_MAX = 4

/** First pause; each further one doubles. */
const BACKOFF_MS = 250

/** A service that asks for more than this is better reported than silently waited for. */
const RETRY_AFTER_SECONDS_MAX = 30

/** Refused before anything was done, and soon allowed again. */
const BUSY: ReadonlySet<string> = new Set([
  'requests_per_minute_exceeded',
  'concurrent_waits_exceeded',
])

/** Gateways that found no service behind them; 503 is also what a stopping service answers. */
const ABSENT: ReadonlySet<number> = new Set([502, 503, 504])

/** What is to be weighed before a call is sent again. */
export type Failed = {
  readonly error: unknown
  /** Times that it was sent, from 1. */
  readonly attempt: number
  /** Whether sending it twice does what sending it once does. */
  readonly isRepeatable: boolean
}

/**
 * How long to pause before a call is sent again, or null to give up.
 *
 * A call that may have done something is repeated only where that does no harm. A refusal for
 * haste did nothing, whatever the call. A 408 is an answer, not a failure: it is never here.
 */
export function retryDelayMs({ error, attempt, isRepeatable }: Failed): number | null {
  const backoffMs = BACKOFF_MS * 2 ** Math.min(attempt - 1, 4) * (0.8 + Math.random() * 0.4)
  if (error instanceof ConnectionError) return isRepeatable ? backoffMs : null
  if (!(error instanceof ApiError)) return null
  const mayRepeat = BUSY.has(error.code) || (isRepeatable && ABSENT.has(error.status))
  const askedSeconds = error.retryAfterSeconds ?? 0
  if (!mayRepeat || askedSeconds > RETRY_AFTER_SECONDS_MAX) return null
  return Math.max(backoffMs, askedSeconds * 1000)
}
