import { runSteps, type Steps } from '../steps.ts'
import { candidatesOf } from './candidates.ts'
import { linesOf, type OtpInput } from './lines.ts'
import { model } from './model.ts'
import { FORMAT_PROBABILITY_MIN, hasOtpFormat } from './otp-format.ts'
import { type RankedValue, type Ranking, rank } from './rank.ts'
import { reasonsOf } from './reasons.ts'

export type { OtpInput } from './lines.ts'

/** A one-time code, with the probability that it is the one to type. */
export interface Otp {
  readonly value: string
  /** From 0 to 1. */
  readonly confidence: number
}

/** Something that could be the code, with the reasons for and against it. */
export interface OtpCandidate extends Otp {
  readonly reasonsFor: readonly string[]
  readonly reasonsAgainst: readonly string[]
}

/** The result for one mail. */
export interface OtpFinding {
  /** The code; null if there is none, or if two candidates are equally likely. */
  readonly otp: Otp | null
  /** Best first. */
  readonly candidates: readonly OtpCandidate[]
}

const NOTHING: OtpFinding = { otp: null, candidates: [] }

/** Highest confidence: no mail is certain. */
const CONFIDENCE_MAX = 0.99

/**
 * Finds the one-time code of a mail. With a form, such as `999999` or `AAAA-AAAA`, only values of
 * that form count, and a less likely one is given.
 */
export function findOtp(input: OtpInput, format: string | null = null): OtpFinding {
  return runSteps(findOtpSteps(input, format))
}

/** The same, step by step. */
export function* findOtpSteps(input: OtpInput, format: string | null = null): Steps<OtpFinding> {
  const lines = linesOf(input)
  yield
  const candidates = candidatesOf(lines)
  if (candidates.length === 0) return NOTHING
  yield
  if (format === null) return findingOf(rank(lines, candidates), model().header.threshold)
  const ranking = rank(lines, candidates, (value) => hasOtpFormat(value, format))
  return findingOf(ranking, FORMAT_PROBABILITY_MIN)
}

function findingOf(ranking: Ranking, probabilityMin: number): OtpFinding {
  const best = ranking.values[0]
  const isGiven = best !== undefined && best.probability >= probabilityMin
  return {
    otp: isGiven ? { value: best.value.value, confidence: confidenceOf(best) } : null,
    // Not computed for mails that nobody asks about.
    get candidates() {
      return ranking.values.map((one) => ({
        value: one.value.value,
        confidence: confidenceOf(one),
        ...reasonsOf(ranking, one),
      }))
    },
  }
}

function confidenceOf({ probability }: RankedValue): number {
  return Math.round(Math.min(calibrated(probability), CONFIDENCE_MAX) * 1000) / 1000
}

/** How often a probability is right on mails that the model was not trained with. */
function calibrated(probability: number): number {
  let [x0, y0] = [0, 0]
  for (const [x1, y1] of model().header.calibration) {
    if (probability <= x1) return x1 === x0 ? y1 : y0 + ((y1 - y0) * (probability - x0)) / (x1 - x0)
    ;[x0, y0] = [x1, y1]
  }
  return y0
}
