import { runSteps, type Steps } from '../steps.ts'
import { calibrated } from './calibration.ts'
import { candidatesOf } from './candidates.ts'
import { evidenceSteps } from './evidence.ts'
import { type JudgedValue, judge, reasonsOf } from './judge.ts'
import { linesOf, type OtpInput } from './lines.ts'
import { MailReader } from './mail-reader.ts'

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

/** Candidates reported: enough to see why a code was or was not taken. */
const REPORTED_MAX = 10

/** Lowest probability with which a code is returned: a wrong code is worse than none. */
export const PROBABILITY_MIN = 0.75

/** Highest confidence: no mail is certain. */
const CONFIDENCE_MAX = 0.99

/** Finds the one-time code of a mail. */
export function findOtp(input: OtpInput): OtpFinding {
  return runSteps(findOtpSteps(input))
}

/** The same, step by step. */
export function* findOtpSteps(input: OtpInput): Steps<OtpFinding> {
  const lines = linesOf(input)
  yield
  const candidates = candidatesOf(lines)
  if (candidates.length === 0) return NOTHING
  yield
  const mail = new MailReader(lines, candidates)
  yield
  const evidence = yield* evidenceSteps(mail, candidates)
  yield
  return findingOf(judge(evidence))
}

function findingOf(judged: readonly JudgedValue[]): OtpFinding {
  const best = judged[0]
  return {
    otp: best === undefined ? null : choose(best),
    // Not computed for mails that nobody asks about.
    get candidates() {
      return judged.slice(0, REPORTED_MAX).map(report)
    },
  }
}

function choose(best: JudgedValue): Otp | null {
  if (best.probability < PROBABILITY_MIN) return null
  return { value: best.evidence.value, confidence: confidenceOf(best) }
}

function report(judged: JudgedValue): OtpCandidate {
  const reasons = reasonsOf(judged.evidence)
  return {
    value: judged.evidence.value,
    confidence: confidenceOf(judged),
    reasonsFor: reasons.filter(({ weight }) => weight > 0).map(({ text }) => text),
    reasonsAgainst: reasons.filter(({ weight }) => weight < 0).map(({ text }) => text),
  }
}

function confidenceOf({ probability }: JudgedValue): number {
  return Math.round(Math.min(calibrated(probability), CONFIDENCE_MAX) * 1000) / 1000
}
