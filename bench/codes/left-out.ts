import { CONFIDENCE_MIN } from '../../packages/mail/src/codes/find.ts'
import type { Row } from './rows.ts'
import { fitWeights, probabilitiesOf } from './softmax.ts'

interface Verdict {
  readonly row: Row
  readonly value: string | null
  readonly confidence: number
}

function verdictOf(row: Row, weights: Float64Array): Verdict {
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

/** Groups of languages that are left out together. */
const LANGUAGE_FOLDS = 8

/** The group of a language: by its letters, so that related ones are in different groups. */
export function foldOf(language: string): string {
  const sum = [...language].reduce((all, letter) => all * 31 + letter.charCodeAt(0), 0)
  return `languages ${sum % LANGUAGE_FOLDS}`
}

/** Judges each group of mails by weights that were fitted without it. */
export function check(rows: readonly Row[], groupOf: (row: Row) => string): void {
  const groups = new Set(rows.filter(({ isOriginal }) => isOriginal).map(groupOf))
  const verdicts = [...groups].flatMap((group) => {
    const weights = fitWeights(rows.filter((row) => groupOf(row) !== group))
    const left = rows.filter((row) => groupOf(row) === group && row.isOriginal)
    const own = left.map((row) => verdictOf(row, weights))
    const given = own.filter(({ confidence }) => confidence >= CONFIDENCE_MIN)
    const right = given.filter(({ row, value }) => value === row.otp).length
    const expected = own.filter(({ row }) => row.otp !== null).length
    console.log(
      `left out ${group}: precision ${(right / given.length).toFixed(3)}, recall ${(right / expected).toFixed(3)}`,
    )
    return own
  })
  reportVerdicts('all', verdicts)
  reportVerdicts(
    'batches',
    verdicts.filter(({ row }) => /^\d/.test(row.group)),
  )
}
