import { type Dataset, LOST } from './dataset.ts'
import { type JobResult, runJobs } from './jobs.ts'
import type { TrainingMail } from './mails.ts'
import type { Settings } from './settings.ts'

/** How a mail was judged by a network that was trained without it. */
export interface Verdict {
  readonly mail: TrainingMail
  readonly index: number
  readonly probability: number
  /** Whether the likeliest value is the code. */
  readonly isRight: boolean
}

/** For a mail the part in which it is left out, and whether the network of a part may know it. */
export interface Folds {
  readonly name: string
  readonly count: number
  readonly foldOf: (mail: TrainingMail) => number
  /** Whether the network that judges a part is trained with a mail. */
  readonly isKnownTo: (mail: TrainingMail, fold: number) => boolean
}

const FOLDS = 6

/** A part by a text: related texts are in different parts. */
function partOf(text: string, parts: number): number {
  return [...text].reduce((all, letter) => (all * 31 + letter.charCodeAt(0)) >>> 0, 7) % parts
}

/** A batch is a number and a name; others are always trained with. */
function numberOf({ group }: TrainingMail): number {
  return Number(/^\d+/.exec(group)?.[0] ?? -1)
}

function batchFold(mail: TrainingMail): number {
  if (mail.group.startsWith('project ')) return partOf(mail.group, FOLDS)
  return numberOf(mail) < 0 ? -1 : numberOf(mail) % FOLDS
}

/** Written batches of the last quarter, in parts that each know only those before. */
const TIMES = [42, 50, 64]

function timeFold(mail: TrainingMail): number {
  return TIMES.findLastIndex((from) => numberOf(mail) >= from)
}

/** Batches and projects, languages, and later batches by the earlier ones. */
export const LEFT_OUT: readonly Folds[] = [
  {
    name: 'batches',
    count: FOLDS,
    foldOf: batchFold,
    isKnownTo: (mail, fold) => batchFold(mail) !== fold,
  },
  {
    name: 'languages',
    count: FOLDS,
    foldOf: (mail) => (batchFold(mail) < 0 ? -1 : languageFold(mail)),
    isKnownTo: (mail, fold) => languageFold(mail) !== fold,
  },
  {
    name: 'later batches',
    count: TIMES.length,
    foldOf: timeFold,
    isKnownTo: (mail, fold) => numberOf(mail) < (TIMES[fold] ?? 0),
  },
]

function languageFold({ language }: TrainingMail): number {
  return partOf(language.split('-')[0] ?? '', FOLDS)
}

/** Judges each part by networks that were trained without it. */
export async function judgeLeftOut(
  mails: readonly TrainingMail[],
  data: Dataset,
  { folds, settings }: { readonly folds: Folds; readonly settings: Settings },
): Promise<readonly Verdict[]> {
  const where = (isIn: (mail: TrainingMail) => boolean): Int32Array =>
    Int32Array.from(mails.flatMap((mail, at) => (isIn(mail) ? [at] : [])))
  const jobs = Array.from({ length: folds.count }, (_, fold) => ({
    train: where((mail) => folds.isKnownTo(mail, fold)),
    judge: where((mail) => !mail.isVariation && folds.foldOf(mail) === fold),
    settings,
    seed: fold + 1,
  }))
  const results = await runJobs(data, jobs)
  return jobs.flatMap(({ judge }, at) => verdictsOf(mails, data, { judge, result: results[at] }))
}

function verdictsOf(
  mails: readonly TrainingMail[],
  data: Dataset,
  { judge, result }: { readonly judge: Int32Array; readonly result: JobResult | undefined },
): readonly Verdict[] {
  return Array.from(judge, (index, at) => {
    const probabilities = result?.judged[at] ?? []
    const probability = Math.max(0, ...probabilities)
    const isRight =
      probabilities.length > 0 && probabilities.indexOf(probability) === data.labels[index]
    // The mail was read for the dataset.
    return { mail: mails[index] as TrainingMail, index, probability, isRight }
  })
}

/** Precision and recall of the verdicts from a threshold on. */
function scoreFrom(verdicts: readonly Verdict[], threshold: number) {
  const given = verdicts.filter(({ probability }) => probability >= threshold)
  const right = given.filter(({ isRight }) => isRight).length
  const expected = verdicts.filter(({ mail }) => mail.otp !== null).length
  return {
    ...{ given: given.length, right, expected },
    precision: given.length === 0 ? 1 : right / given.length,
    recall: expected === 0 ? 1 : right / expected,
  }
}

/** The lowest threshold from which on precision is at least this, and at least a half. */
export function thresholdAt(verdicts: readonly Verdict[], precision: number): number {
  const sorted = verdicts.toSorted((one, other) => other.probability - one.probability)
  let right = 0
  let best = 1
  for (const [at, { probability, isRight }] of sorted.entries()) {
    if (isRight) right += 1
    if (right / (at + 1) >= precision) best = probability
  }
  return Math.max(best, 0.5)
}

/** Prints how the left-out parts are judged. */
export function report(name: string, data: Dataset, verdicts: readonly Verdict[]): void {
  const lost = verdicts.filter(({ index }) => data.labels[index] === LOST).length
  const at = thresholdAt(verdicts, 0.99)
  const figures = [0.3, 0.4, 0.5, 0.6, 0.75, at].map((threshold) => {
    const { precision, recall } = scoreFrom(verdicts, threshold)
    return `${threshold.toFixed(2)} ${precision.toFixed(4)}/${recall.toFixed(4)}`
  })
  const { expected } = scoreFrom(verdicts, 1)
  const top = verdicts.filter(({ isRight }) => isRight).length
  console.log(
    `${name.padEnd(20)} ${expected} codes, ${lost} no candidate, on top ${(top / expected).toFixed(4)} | ${figures.join(' | ')}`,
  )
}
