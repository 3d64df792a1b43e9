/** How long a wait lasts where nothing bounds it. */
const WAIT_SECONDS = 30

/**
 * How long waits of a test may last by default, so that the wait's error, which tells what arrived,
 * comes before the runner's, which tells nothing.
 */
export function waitSecondsWithin(testTimeoutMs: number): number {
  if (testTimeoutMs <= 0 || !Number.isFinite(testTimeoutMs)) return WAIT_SECONDS
  return Math.min(WAIT_SECONDS, Math.max(1, Math.floor((testTimeoutMs * 2) / 3000)))
}
