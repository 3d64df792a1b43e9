import { CODE_LIKE, FREE } from './binding.ts'
import type { Finding } from './findings.ts'
import type { LineSource } from './lines.ts'
import type { ReadLine } from './mail-reader.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** What the mail as a whole is about. */
export interface Topic {
  /** Reasons that hold for every candidate of the mail. */
  readonly general: readonly Finding[]
  /** Further reasons against those that nothing calls a one-time code. */
  readonly unlessOtp: readonly Finding[]
  /** Further reasons against those that are called a code and nothing more. */
  readonly ifBare: readonly Finding[]
  /** Further reasons for those that are only asked to be entered, and not called a code. */
  readonly forAsked: readonly Finding[]
}

const ASKED: Finding = { reason: 'entered in a mail about signing in', points: 1.2 }

/** An unknown topic. */
export const NO_TOPIC: Topic = { general: [], unlessOtp: [], ifBare: [], forAsked: [] }

const SIGN_IN = bitsOf('otp', 'verify', 'login', 'once')

/** A subject with these is about a code even if it names an order; `confirmed` is not enough. */
const ASKS_FOR_CODE = bitsOf('otp', 'login', 'once')

/** A mail of so few characters need not say what its code is for. */
const FEW_CHARS = 60
const SOME_CHARS = 160

const SIGNS_OF_CODE = bitsOf('otp', 'login', 'once', 'keep', 'valid', 'enter')

const OTHER_MATTERS = bitsOf('promo', 'place', 'meeting', 'naming')

/** Determines what the mail is about. */
export function topicOf(lines: readonly ReadLine[]): Topic {
  const subjectLine = lines.find((line) => line.source === 'subject')
  const subject = subjectLine === undefined ? 0 : topicConcepts(subjectLine)
  let body = 0
  for (const line of lines) if (line.source !== 'subject') body |= line.concepts
  const isOther = (subject & OTHER_MATTERS) !== 0 && (subject & ASKS_FOR_CODE) === 0
  return {
    general: generalFindings(subject, body, isOther),
    unlessOtp: [...otherFindings(subject, body, isOther), ...balance(lines)],
    ifBare: bareFindings(lines, { subject, body }),
    forAsked: (subject & SIGN_IN) !== 0 && !isOther ? [ASKED] : [],
  }
}

/** The meanings of a subject; a word that names a number there is not its topic. */
function topicConcepts({ hits, owners }: ReadLine): number {
  let concepts = 0
  for (const [at, hit] of hits.entries()) {
    concepts |= owners[at] === FREE ? hit.concepts : hit.concepts & ~BIT.naming
  }
  return concepts
}

/** A longer mail that does not mention signing in contains another kind of code. */
function bareFindings(
  lines: readonly ReadLine[],
  { subject, body: bodyConcepts }: { readonly subject: number; readonly body: number },
): readonly Finding[] {
  const concepts = subject | bodyConcepts
  if ((concepts & (SIGN_IN | BIT.keep | BIT.password)) !== 0) return []
  // Text and HTML say the same: the longer one counts.
  const body = Math.max(charsOf(lines, 'html'), charsOf(lines, 'text'))
  const chars = body + charsOf(lines, 'subject') + charsOf(lines, 'preheader')
  if (chars <= FEW_CHARS) return []
  const isOfCode = (subject & CODE_LIKE) !== 0 && (bodyConcepts & BIT.valid) !== 0
  const isPlain = isOfCode && (concepts & OTHER_MATTERS) === 0
  const points = isPlain ? -0.8 : chars <= SOME_CHARS ? -1.5 : -3
  return [{ reason: 'the mail does not speak of signing in', points }]
}

/** Characters of one part. */
function charsOf(lines: readonly ReadLine[], source: LineSource): number {
  return lines.reduce((sum, line) => (line.source === source ? sum + line.text.length : sum), 0)
}

/** Whether there are more words for other matters than for signing in. */
function balance(lines: readonly ReadLine[]): readonly Finding[] {
  let signs = 0
  let others = 0
  let promos = 0
  for (const line of lines) {
    for (const { concepts } of line.hits) {
      if ((concepts & SIGNS_OF_CODE) !== 0) signs += 1
      if ((concepts & OTHER_MATTERS) !== 0) others += 1
      if ((concepts & BIT.promo) !== 0) promos += 1
    }
  }
  const reason = 'the mail is about other matters'
  if (others > 0 && signs === 0) return [{ reason, points: -2 }]
  if (promos >= 2 && promos >= signs) return [{ reason, points: -2 }]
  return others >= 3 && others > 2 * signs ? [{ reason, points: -1.5 }] : []
}

function generalFindings(subject: number, body: number, isOther: boolean): readonly Finding[] {
  const found: Finding[] = []
  if ((subject & (SIGN_IN | CODE_LIKE)) !== 0 && !isOther) {
    found.push({ reason: 'the subject is about a code or signing in', points: 0.7 })
  } else if ((body & SIGN_IN) !== 0) {
    found.push({ reason: 'the mail is about signing in', points: 0.3 })
  }
  if ((body & BIT.keep) !== 0) found.push({ reason: 'to be kept secret, or ignored', points: 0.5 })
  if ((body & BIT.valid) !== 0) found.push({ reason: 'said to expire', points: 0.4 })
  if ((subject & BIT.dead) !== 0) found.push({ reason: 'the code has expired', points: -5 })
  if ((subject & BIT.example) !== 0) found.push({ reason: 'a mail about codes', points: -3 })
  if ((subject & BIT.backup) !== 0) found.push({ reason: 'recovery codes', points: -5 })
  return found
}

function otherFindings(subject: number, body: number, isOther: boolean): readonly Finding[] {
  const found: Finding[] = []
  const isKept = (body & BIT.keep) !== 0
  if (isOther) {
    const isNameOnly = (subject & OTHER_MATTERS) === BIT.naming
    const isMild = isKept || (isNameOnly && (body & BIT.valid) !== 0)
    const points = isMild ? -1.5 : -4
    found.push({ reason: 'the subject is about something else', points })
  }
  if ((body & BIT.elsewhere) !== 0) {
    found.push({ reason: 'a code was sent another way', points: -1.5 })
  }
  if (((body | subject) & BIT.meeting) !== 0) {
    found.push({ reason: 'the mail is about a meeting', points: -3 })
  }
  const isBusiness = (body & BIT.naming) !== 0 && (body & BIT.money) !== 0
  const isSignIn = (subject & SIGN_IN) !== 0 || (body & (BIT.valid | BIT.login)) !== 0
  if (isBusiness && !isKept && !isSignIn) {
    found.push({ reason: 'the mail is about a purchase', points: -1.5 })
  }
  return found
}
