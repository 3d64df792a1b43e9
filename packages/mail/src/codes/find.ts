import { candidatesOf } from './candidates.ts'
import { type JudgedValue, judge } from './judge.ts'
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

/** Lowest confidence with which a code is returned. */
const CONFIDENCE_MIN = 0.55

/** Points by which the code must lead the next candidate. */
const LEAD_MIN = 0.8

/** Finds the one-time code of a mail. */
export function findOtp(input: OtpInput): OtpFinding {
  const lines = linesOf(input)
  const candidates = candidatesOf(lines)
  if (candidates.length === 0) return NOTHING
  const judged = judge(new MailReader(lines, candidates), candidates)
  const best = judged[0]
  return {
    otp: best === undefined ? null : choose(best, judged[1]),
    candidates: judged.slice(0, REPORTED_MAX).map(report),
  }
}

function choose(best: JudgedValue, second: JudgedValue | undefined): Otp | null {
  const confidence = confidenceOf(best.points)
  if (confidence < CONFIDENCE_MIN) return null
  const rival = second === undefined ? 0 : confidenceOf(second.points)
  if (rival >= CONFIDENCE_MIN && best.points - (second?.points ?? 0) < LEAD_MIN) return null
  return { value: best.value, confidence }
}

function report({ value, points, findings }: JudgedValue): OtpCandidate {
  return {
    value,
    confidence: confidenceOf(points),
    reasonsFor: findings.filter((one) => one.points > 0).map(({ reason }) => reason),
    reasonsAgainst: findings.filter((one) => one.points < 0).map(({ reason }) => reason),
  }
}

/** Converts points to a probability: 0.5 at 3.2 points, and at most 0.99. */
function confidenceOf(points: number): number {
  const probability = 1 / (1 + Math.exp(-1.3 * (points - 3.2)))
  return Math.round(Math.min(probability, 0.99) * 1000) / 1000
}
