/** Default timeout of a wait in a test without a timeout. */
const WAIT_SECONDS = 30

/** For the response of the wait and the report of its error, before the runner ends the test. */
const MARGIN_MS = 1000

/** The time of a test, as its runner counts it. */
export type TestTime = {
  /** Zero or infinite in a test without a timeout. */
  readonly timeoutMs: number
  /** By the clock of `performance.now()`. */
  readonly startedAtMs: number
}

/**
 * The default timeout of a wait that begins now: it ends before the test does, so that the error of
 * the wait, with the mail that arrived, is reported instead of the runner's.
 */
export function waitSecondsWithin({ timeoutMs, startedAtMs }: TestTime): number {
  if (timeoutMs <= 0 || !Number.isFinite(timeoutMs)) return WAIT_SECONDS
  const leftMs = startedAtMs + timeoutMs - performance.now() - MARGIN_MS
  // Whole seconds: the service has no shorter unit for a call.
  return Math.min(WAIT_SECONDS, Math.max(1, Math.floor(leftMs / 1000)))
}
