import { writeFileSync } from 'node:fs'
import type { Row } from './rows.ts'

/** How a mail that was left out is judged. */
export interface Verdict {
  readonly row: Row
  /** The group with which it was left out. */
  readonly fold: string
  readonly value: string | null
  readonly confidence: number
}

/** Bounds of the probabilities that have one entry of the table each. */
const BOUNDS = [0.3, 0.6, 0.8, 0.92, 0.97, 0.99, 1.01] as const

/** The weight of a mail with some words unknown: there are three of each. */
const UNKNOWN_WEIGHT = 1 / 3

interface Bin {
  readonly said: number
  readonly right: number
  readonly weight: number
}

/** A table of probabilities and of how often they are right, both rising. */
export function calibrationOf(
  verdicts: readonly Verdict[],
): readonly (readonly [number, number])[] {
  const bins: Bin[] = []
  for (const [at, from] of BOUNDS.slice(0, -1).entries()) {
    const to = BOUNDS[at + 1] ?? 1
    addRising(
      bins,
      binOf(verdicts.filter(({ confidence }) => confidence >= from && confidence < to)),
    )
  }
  return [[0, 0], ...bins.map(({ said, right }) => [said, right] as const), [1, 1]]
}

function binOf(verdicts: readonly Verdict[]): Bin {
  let weight = 0
  let said = 0
  let right = 0
  for (const { row, value, confidence } of verdicts) {
    const own = row.isOriginal ? 1 : UNKNOWN_WEIGHT
    weight += own
    said += own * confidence
    if (value === row.otp) right += own
  }
  return { said: said / weight, right: right / weight, weight }
}

/** Joins a bin with those before it that are right more often. */
function addRising(bins: Bin[], bin: Bin): void {
  if (bin.weight === 0) return
  let last = bin
  for (let before = bins.at(-1); before !== undefined; before = bins.at(-1)) {
    if (before.right < last.right) break
    bins.pop()
    const weight = before.weight + last.weight
    last = {
      weight,
      said: (before.said * before.weight + last.said * last.weight) / weight,
      right: (before.right * before.weight + last.right * last.weight) / weight,
    }
  }
  bins.push(last)
}

/** Writes the table that the detection uses. */
export function writeCalibration(verdicts: readonly Verdict[]): void {
  const table = calibrationOf(verdicts.filter(({ row }) => /^\d/.test(row.group)))
  const lines = table.map(([said, right]) => `  [${thousandths(said)}, ${thousandths(right)}],`)
  writeFileSync(
    new URL('../../packages/mail/src/codes/calibration-table.ts', import.meta.url),
    [
      '// Written by bench/fit-codes.ts --calibrate: do not edit.',
      '',
      '/** Probabilities and how often they are right on left-out batches, in thousandths. */',
      'export const CALIBRATION: readonly (readonly [number, number])[] = [',
      ...lines,
      ']',
      '',
    ].join('\n'),
  )
  console.log(`${lines.length} entries of calibration written`)
}

function thousandths(share: number): number {
  return Math.round(share * 1000)
}
