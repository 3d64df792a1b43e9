/** The middle, the slowest hundredth and the slowest of some times. */
export type Quantiles = { readonly p50: number; readonly p99: number; readonly max: number }

/** Quantiles of times. */
export function quantiles(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
