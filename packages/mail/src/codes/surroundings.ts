import { CODE_LIKE } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { type Label, labelsOf, NO_LABEL } from './context.ts'
import { KIND, kindAt } from './fold.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import { type Meaning, meaningOf, NO_MEANING, OTHERWISE, unlessOfThing } from './meaning.ts'
import { meaningAround } from './neighbours.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** The labels around a candidate. */
export interface Surroundings {
  readonly before: Label
  readonly after: Label
  /** The strongest of the meanings by the words before, after, above and below. */
  readonly meaning: Meaning
  /** Meanings in its own sentence. */
  readonly sentence: number
  /** The part of them before it, and after it. */
  readonly sentenceBefore: number
  readonly sentenceAfter: number
}

/** Characters between `enter` and the number. */
const ENTERED_GAP_MAX = 14

/** Characters of punctuation between a label and its number. */
const TOUCHING_CHARS_MAX = 8

/** Characters after a number within which words refer to it. */
const NEAR_AFTER_CHARS = 30

/** Characters before the word for code of a language that puts it behind: `a 7093-as kóddal`. */
const NEXT_CHARS_MAX = 4

const BOUND: Meaning = { points: 6, reason: 'bound to a domain', isOtp: true }

/** Finds the labels around a candidate. */
export function surroundingsOf(mail: MailReader, candidate: Candidate): Surroundings {
  const line = mail.line(candidate.line)
  if (line === undefined) {
    return {
      before: NO_LABEL,
      after: NO_LABEL,
      meaning: NO_MEANING,
      sentence: 0,
      sentenceBefore: 0,
      sentenceAfter: 0,
    }
  }
  const { before: left, after: right } = labelsOf(line, candidate)
  const sentence = left.clause | right.clause
  const before = { ...left, clause: sentence }
  const after = { ...right, clause: sentence }
  const meaning = isDomainBound(line.text, candidate)
    ? BOUND
    : strongest(meaningBefore(line, candidate, { before, after }), {
        behind: meaningBehind(line, candidate, after),
        around: () => meaningAround(mail, candidate),
      })
  return {
    before,
    after,
    meaning,
    sentence,
    sentenceBefore: left.clause,
    sentenceAfter: right.clause,
  }
}

/** Apple's form for codes that a browser fills in: `@example.com #123456`. */
function isDomainBound(text: string, { start }: Candidate): boolean {
  if (text.charAt(start - 1) !== '#') return false
  return /^@[\w.-]+\.\w+ $/.test(text.slice(Math.max(0, start - 260), start - 1))
}

function meaningBefore(
  { text }: ReadLine,
  { isNumeric, start, end }: Candidate,
  { before, after }: { readonly before: Label; readonly after: Label },
): Meaning {
  const behind = text.slice(start - before.gap, start)
  const near = { isNumeric, isTouching: isTouching(behind) }
  const said = unlessOfThing(meaningOf(before, near), behind)
  const isOpen = said.points > -3 && said.points < ENTERED.points
  return isOpen && isNumeric && isEntered(before, isSeparated(text, end, after) ? NO_LABEL : after)
    ? ENTERED
    : said
}

const ENTERED: Meaning = { points: 3.2, reason: 'to be entered to verify or sign in' }

/** `Enter 123456 to sign in`: the words on both sides are one sentence. */
function isEntered(before: Label, after: Label): boolean {
  if (!isEnteredBy(before) && !isEnteredBy(after)) return false
  const hasPurpose = (before.clause & bitsOf('verify', 'login')) !== 0
  return hasPurpose && (before.clause & bitsOf('promo', 'place', 'meeting')) === 0
}

const SEPARATOR = /[,)\]،，、）]/

/** `(ID 482913), enter`: a comma or bracket separates a number from the verb behind it. */
function isSeparated(text: string, end: number, { gap }: Label): boolean {
  const between = text.slice(end, end + gap)
  if (!SEPARATOR.test(between)) return false
  // `2840915을(를)`: the bracket belongs to a particle.
  return SEPARATOR.test(between.replaceAll(/\(\p{L}{1,2}\)/gu, ''))
}

function isEnteredBy({ concepts, gap }: Label): boolean {
  const isNamed = (concepts & (CODE_LIKE | OTHERWISE)) !== 0
  return (concepts & BIT.enter) !== 0 && !isNamed && gap <= ENTERED_GAP_MAX
}

function meaningBehind({ text }: ReadLine, candidate: Candidate, after: Label): Meaning {
  const isNamed = (after.concepts & (CODE_LIKE | OTHERWISE)) !== 0
  if (!isNamed && isSeparated(text, candidate.end, after)) return NO_MEANING
  const meaning = meaningOf(after, {
    isNumeric: candidate.isNumeric,
    // Punctuation may separate a label from the number after it, but not from one before it.
    isTouching: after.gap <= 1 && isNamed,
  })
  if (meaning.points <= 0) return meaning
  // In the middle of a sentence the words after a number are often about something else.
  const isNext = after.gap <= NEXT_CHARS_MAX && (after.concepts & CODE_LIKE) !== 0
  const isSubject = meaning.isOtp === true || isNext || beginsThought(text, candidate.start)
  const share = (after.gap <= NEAR_AFTER_CHARS ? 1 : 0.6) * (isSubject ? 1 : 0.6)
  return { ...meaning, points: meaning.points * share }
}

function beginsThought(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && kindAt(text, at) === KIND.space) at -= 1
  const kind = kindAt(text, at)
  if (at < 0 || kind === KIND.joined) return true
  return kind === KIND.other && !',"“”„«»'.includes(text.charAt(at))
}

/** The label before counts first; the others only if it says nothing definite. */
function strongest(
  before: Meaning,
  { behind, around }: { readonly behind: Meaning; readonly around: () => Meaning },
): Meaning {
  if (before.points <= -4 || before.points >= 3) return before
  if (behind.points >= 3) return behind
  const beyond = around()
  if (beyond.points <= -4 || beyond.points >= 3) return beyond
  if (behind.points <= -4) return behind
  return [before, behind, beyond].reduce((best, one) => (one.points > best.points ? one : best))
}

/** Whether only punctuation separates a label and its number. */
function isTouching(between: string): boolean {
  if (between.length > TOUCHING_CHARS_MAX) return false
  for (let at = 0; at < between.length; at += 1) {
    const kind = kindAt(between, at)
    if (kind === KIND.letter || kind === KIND.joined || kind === KIND.prefixing) return false
    if (',;'.includes(between.charAt(at))) return false
  }
  return true
}
