import { candidatesOf } from './candidates.ts'
import { type Judged, judge } from './judge.ts'
import { linesOf, type OtpInput } from './lines.ts'
import { MailReader } from './mail-reader.ts'

export type { OtpInput } from './lines.ts'

/** A one-time code, and how sure it is that this is the one to type. */
export interface Otp {
  readonly value: string
  /** From 0 to 1. */
  readonly confidence: number
}

/** Something that could be the code, with what speaks for and against it. */
export interface OtpCandidate extends Otp {
  readonly reasonsFor: readonly string[]
  readonly reasonsAgainst: readonly string[]
}

/** What was found in a mail. */
export interface OtpFinding {
  /** The code; null when there is none, or when it cannot be told which it is. */
  readonly otp: Otp | null
  /** Best first. */
  readonly candidates: readonly OtpCandidate[]
}

const NOTHING: OtpFinding = { otp: null, candidates: [] }

/** Candidates reported: enough to see why a code was or was not taken. */
const REPORTED_MAX = 10

/** A code is given from here on. */
const CONFIDENCE_MIN = 0.55

/** Points by which the code must lead. */
const LEAD_MIN = 0.8

/** Finds the one-time code that a mail hands over. */
export function findOtp(input: OtpInput): OtpFinding {
  const lines = linesOf(input)
  const candidates = candidatesOf(lines)
  if (candidates.length === 0) return NOTHING
  const judged = judge(new MailReader(lines), candidates)
  const best = judged[0]
  return {
    otp: best === undefined ? null : choose(best, judged[1]),
    candidates: judged.slice(0, REPORTED_MAX).map(report),
  }
}

function choose(best: Judged, second: Judged | undefined): Otp | null {
  const confidence = confidenceOf(best.points)
  if (confidence < CONFIDENCE_MIN) return null
  const rival = second === undefined ? 0 : confidenceOf(second.points)
  if (rival >= CONFIDENCE_MIN && best.points - (second?.points ?? 0) < LEAD_MIN) return null
  return { value: best.value, confidence }
}

function report({ value, points, findings }: Judged): OtpCandidate {
  return {
    value,
    confidence: confidenceOf(points),
    reasonsFor: findings.filter((one) => one.points > 0).map(({ reason }) => reason),
    reasonsAgainst: findings.filter((one) => one.points < 0).map(({ reason }) => reason),
  }
}

/** Points to a probability: even at 3.2, and never quite certain. */
function confidenceOf(points: number): number {
  const probability = 1 / (1 + Math.exp(-1.3 * (points - 3.2)))
  return Math.round(Math.min(probability, 0.99) * 1000) / 1000
}
