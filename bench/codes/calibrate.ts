import type { Verdict } from './left-out.ts'

/** Bounds of the probabilities that have one entry of the table each. */
const BOUNDS = [0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.93, 0.97, 0.99, 0.997, 1.01] as const

type Entry = readonly [number, number]

interface Bin {
  readonly said: number
  readonly right: number
  readonly weight: number
}

/** A table of probabilities and of how often they are right, both rising. */
export function calibrationOf(verdicts: readonly Verdict[]): readonly Entry[] {
  const bins: Bin[] = []
  for (const [at, from] of BOUNDS.slice(0, -1).entries()) {
    const to = BOUNDS[at + 1] ?? 1
    const own = verdicts.filter(({ probability }) => probability >= from && probability < to)
    addRising(bins, {
      said: meanOf(own.map(({ probability }) => probability)),
      right: meanOf(own.map(({ isRight }) => Number(isRight))),
      weight: own.length,
    })
  }
  return [
    [0, 0],
    ...bins.map(({ said, right }): Entry => [rounded(said), rounded(right)]),
    [1, rounded(bins.at(-1)?.right ?? 1)],
  ]
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

/** Joins a bin with those before it that are right more often. */
function addRising(bins: Bin[], bin: Bin): void {
  if (bin.weight === 0) return
  let last = bin
  for (let before = bins.at(-1); before !== undefined; before = bins.at(-1)) {
    if (before.right < last.right) break
    bins.pop()
    const weight = before.weight + last.weight
    const both = (one: number, other: number) =>
      (one * before.weight + other * last.weight) / weight
    last = { said: both(before.said, last.said), right: both(before.right, last.right), weight }
  }
  bins.push(last)
}

/** Bins of calibrated confidences that are printed. */
const REPORTED = [0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01] as const

/** Prints how often calibrated probabilities are right, each half of the mails by the other. */
export function reportCalibration(verdicts: readonly Verdict[]): void {
  const half = ({ index }: Verdict): number => (Math.imul(index, 0x9e3779b1) >>> 31) & 1
  const said = [0, 1].flatMap((part) => {
    const table = calibrationOf(verdicts.filter((one) => half(one) !== part))
    const own = verdicts.filter((one) => half(one) === part)
    return own.map((one) => ({ ...one, probability: calibrated(table, one.probability) }))
  })
  for (const [at, from] of REPORTED.slice(0, -1).entries()) {
    const to = REPORTED[at + 1] ?? 1
    const bin = said.filter(({ probability }) => probability >= from && probability < to)
    if (bin.length === 0) continue
    const right = meanOf(bin.map(({ isRight }) => Number(isRight)))
    const mean = meanOf(bin.map(({ probability }) => probability))
    console.log(`  said ${mean.toFixed(3)}, right ${right.toFixed(3)} of ${bin.length}`)
  }
}

function calibrated(table: readonly Entry[], probability: number): number {
  let [x0, y0] = [0, 0]
  for (const [x1, y1] of table) {
    if (probability <= x1) return x1 === x0 ? y1 : y0 + ((y1 - y0) * (probability - x0)) / (x1 - x0)
    ;[x0, y0] = [x1, y1]
  }
  return y0
}
