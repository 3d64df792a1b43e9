import { loadavg } from 'node:os'
import { processorTime, stolenPercent } from '../../packages/server/test/testing-processor-time.ts'

/** The middle and the slowest of some times. */
export type Quantiles = { readonly p50: number; readonly p99: number; readonly max: number }

/** What a figure should be. */
type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** The number that the command line gives as `--name=NUMBER`. */
export function option(name: string, usual: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`))
  return given === undefined ? usual : Number(given.split('=')[1])
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantiles(values).p50
}

/** Quantiles of times. */
export function quantiles(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Prints a figure and whether it is what it should be. */
export function printFigure(name: string, found: number, goal: Goal): void {
  const isReached = 'atLeast' in goal ? found >= goal.atLeast : found <= goal.atMost
  const rounded = (bound: number) => Number(bound.toFixed(2))
  const bound =
    'atLeast' in goal ? `at least ${rounded(goal.atLeast)}` : `at most ${rounded(goal.atMost)}`
  const shown = Math.abs(found) < 100 ? found.toFixed(2) : found.toFixed(0)
  console.log(`  ${name}: ${shown} (goal ${bound}: ${isReached ? 'reached' : 'MISSED'})`)
}

/** Starts to watch the machine; what it did meanwhile is printed in the end. */
export function watchMachine(): Disposable {
  const before = processorTime()
  console.log(`load average before ${loadavg()[0]?.toFixed(1)}`)
  return {
    [Symbol.dispose]: () => {
      const stolen = stolenPercent(before).toFixed(0)
      console.log(`load average after ${loadavg()[0]?.toFixed(1)}, ${stolen} % stolen`)
    },
  }
}
