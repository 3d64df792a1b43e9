import { interpolate } from '../../packages/mail/src/codes/calibration.ts'
import { PROBABILITY_MIN } from '../../packages/mail/src/codes/find.ts'
import { calibrationOf, type Verdict } from './calibrate.ts'
import type { Row } from './rows.ts'
import { fitWeights, probabilitiesOf } from './softmax.ts'

function verdictOf(row: Row, weights: Float64Array): Omit<Verdict, 'fold'> {
  const probabilities = probabilitiesOf(row, weights)
  const confidence = Math.max(0, ...probabilities)
  return { row, confidence, value: row.values[probabilities.indexOf(confidence)] ?? null }
}

const BINS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01] as const

function reportVerdicts(name: string, verdicts: readonly Verdict[]): void {
  const expected = verdicts.filter(({ row }) => row.otp !== null).length
  for (const least of [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]) {
    const given = verdicts.filter(({ confidence }) => confidence >= least)
    const right = given.filter(({ row, value }) => value === row.otp).length
    console.log(
      `${name} from ${least}: precision ${(right / given.length).toFixed(4)} (${right}/${given.length}), recall ${(right / expected).toFixed(4)} (${right}/${expected})`,
    )
  }
  for (const [at, from] of BINS.slice(0, -1).entries()) {
    const to = BINS[at + 1] ?? 1
    const bin = verdicts.filter(({ confidence }) => confidence >= from && confidence < to)
    const right = bin.filter(({ row, value }) => value === row.otp).length
    const said = bin.reduce((sum, { confidence }) => sum + confidence, 0) / bin.length
    console.log(
      `  said ${said.toFixed(3)}, right ${(right / bin.length).toFixed(3)} of ${bin.length}`,
    )
  }
}

/** Groups of languages, and of batches, that are left out together. */
const FOLDS = 4

/** The group of a language: by its letters, so that related ones are in different groups. */
export function foldOf(language: string): string {
  const sum = [...language].reduce((all, letter) => all * 31 + letter.charCodeAt(0), 0)
  return `languages ${sum % FOLDS}`
}

/** The group of a batch: batches that were written together are in different groups. */
export function batchFoldOf(group: string): string {
  return `batches ${Number(/^\d+$/.exec(group)?.[0] ?? 0) % FOLDS}`
}

/** A mail as it is or with some words unknown, no other variation or sentence. */
function isWhole({ isOriginal, variation, group }: Row): boolean {
  return isOriginal || (variation === '' && group !== 'phrases')
}

/** Judges each group of mails by weights that were fitted without it, and reports how. */
export function check(rows: readonly Row[], groupOf: (row: Row) => string): readonly Verdict[] {
  const groups = new Set(rows.filter(({ isOriginal }) => isOriginal).map(groupOf))
  const verdicts = [...groups].flatMap((group) => {
    const weights = fitWeights(rows.filter((row) => groupOf(row) !== group))
    const left = rows.filter((row) => groupOf(row) === group && isWhole(row))
    const own = left.map((row) => ({ ...verdictOf(row, weights), fold: group }))
    const originals = own.filter(({ row }) => row.isOriginal)
    const given = originals.filter(({ confidence }) => confidence >= PROBABILITY_MIN)
    const right = given.filter(({ row, value }) => value === row.otp).length
    const expected = originals.filter(({ row }) => row.otp !== null).length
    console.log(
      `left out ${group}: precision ${(right / given.length).toFixed(3)}, recall ${(right / expected).toFixed(3)}`,
    )
    return own
  })
  const ofBatches = verdicts.filter(({ row }) => /^\d/.test(row.group))
  reportVerdicts(
    'all',
    verdicts.filter(({ row }) => row.isOriginal),
  )
  reportVerdicts(
    'batches',
    ofBatches.filter(({ row }) => row.isOriginal),
  )
  reportVerdicts(
    'batches, words unknown',
    ofBatches.filter(({ row }) => !row.isOriginal),
  )
  reportCalibrated(ofBatches)
  return verdicts
}

/** Bins of calibrated confidences: each group by a table of the others. */
function reportCalibrated(verdicts: readonly Verdict[]): void {
  const folds = new Set(verdicts.map(({ fold }) => fold))
  const calibrated = [...folds].flatMap((fold) => {
    const table = calibrationOf(verdicts.filter((one) => one.fold !== fold))
    const own = verdicts.filter((one) => one.fold === fold)
    return own.map((one) => ({ ...one, confidence: interpolate(table, one.confidence) }))
  })
  console.log('calibrated, each group by the others')
  for (const isOriginal of [true, false]) {
    reportVerdicts(
      isOriginal ? 'batches' : 'words unknown',
      calibrated.filter(({ row }) => row.isOriginal === isOriginal),
    )
  }
}
