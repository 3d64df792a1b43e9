/** Default timeout of a wait in a test without a timeout. */
const WAIT_SECONDS = 30

/**
 * The default timeout of waits in a test: shorter than that of the test, so that the error of the
 * wait, which says what arrived, is reported instead of the runner's.
 */
export function waitSecondsWithin(testTimeoutMs: number): number {
  if (testTimeoutMs <= 0 || !Number.isFinite(testTimeoutMs)) return WAIT_SECONDS
  return Math.min(WAIT_SECONDS, Math.max(1, Math.floor((testTimeoutMs * 2) / 3000)))
}
