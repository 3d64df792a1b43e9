import { codeAt } from '../text/code-at.ts'
import { CODE_LIKE, FREE } from './binding.ts'
import type { LineSource } from './lines.ts'
import { figuresOf, type MailFigures } from './mail-figures.ts'
import type { ReadLine } from './mail-reader.ts'
import { freeConcepts } from './relations.ts'
import { SIGN } from './signs.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** What the mail as a whole is about. */
export interface Topic {
  /** Meanings in the subject and in the rest of the mail. */
  readonly subject: number
  readonly body: number
  /** Characters of the longer of its two parts. */
  readonly chars: number
  /** A percentage, as offers have. */
  readonly hasPercent: boolean
  readonly figures: MailFigures
  /** Facts for every candidate of the mail. */
  readonly general: readonly string[]
  /** Further facts for those that nothing calls a one-time code. */
  readonly unlessOtp: readonly string[]
  /** Further facts for those that are called a code and nothing more. */
  readonly ifBare: readonly string[]
  /** Further facts for those that are only asked to be entered, and not called a code. */
  readonly forAsked: readonly string[]
}

/** Meanings of mails about signing in. */
export const SIGN_IN = bitsOf('otp', 'verify', 'login', 'once')

/** A subject with these is about a code even if it names an order; `confirmed` is not enough. */
const ASKS_FOR_CODE = bitsOf('otp', 'login', 'once')

/** A mail of so few characters need not say what its code is for. */
const FEW_CHARS = 60
const SOME_CHARS = 160

const SIGNS_OF_CODE = bitsOf('otp', 'login', 'once', 'keep', 'valid', 'enter')

const OTHER_MATTERS = bitsOf('promo', 'place', 'meeting', 'naming')

/** Not `%40` in an address. */
const PERCENT = /\d\s?%(?![\dA-F]{2})|(?<![\w.-])%\s?\d/i

/** Determines what the mail is about. */
export function topicOf(lines: readonly ReadLine[]): Topic {
  let subject = 0
  let body = 0
  let free = 0
  for (const line of lines) {
    if (line.concepts === 0) continue
    if (line.source === 'subject') subject |= topicConcepts(line)
    else {
      body |= line.concepts
      free |= freeConcepts(line)
    }
  }
  const isOther = (subject & OTHER_MATTERS) !== 0 && (subject & ASKS_FOR_CODE) === 0
  const chars = charsOf(lines)
  // Text and HTML say the same: the longer one counts.
  const bodyChars = Math.max(chars.html, chars.text)
  return {
    subject,
    body: free,
    chars: bodyChars,
    hasPercent: lines.some(hasPercent),
    figures: figuresOf(lines),
    general: generalFacts(subject, body, isOther),
    unlessOtp: [...otherFacts(subject, body, isOther), ...balance(lines)],
    ifBare: bareFacts({ subject, body }, bodyChars + chars.subject + chars.preheader),
    forAsked: (subject & SIGN_IN) !== 0 && !isOther ? ['entered in a mail about signing in'] : [],
  }
}

function hasPercent({ text, signs }: ReadLine): boolean {
  return (signs & SIGN.percent) !== 0 && PERCENT.test(text)
}

/** The topic for a value that the offer of the mail is not about. */
export function withoutOffer(topic: Topic): Topic {
  return {
    ...topic,
    subject: topic.subject & ~BIT.promo,
    body: topic.body & ~BIT.promo,
    hasPercent: false,
    unlessOtp: topic.unlessOtp.filter((fact) => fact !== OFFERS),
  }
}

const OTHER_SUBJECT = 'the subject is about something else'
const ALSO_OTHER_SUBJECT = 'the subject is also about something else'

/** Characters of a text that is one sentence or two. */
const SHORT_CHARS = 100

/** Whether the body is short and speaks of nothing that has other numbers. */
export function isShortText({ chars, body, figures }: Topic): boolean {
  return chars <= SHORT_CHARS && (body & (OTHER_MATTERS | BIT.money)) === 0 && figures.amounts === 0
}

/** What a subject says of a code. */
const OF_CODE = CODE_LIKE | SIGN_IN | bitsOf('enter', 'valid', 'keep', 'number', 'dead', 'example')

/** The topic without what the subject says of other matters. */
export function withoutSubject(topic: Topic): Topic {
  return {
    ...topic,
    subject: topic.subject & OF_CODE,
    unlessOtp: topic.unlessOtp.filter(
      (fact) => fact !== OTHER_SUBJECT && fact !== ALSO_OTHER_SUBJECT,
    ),
  }
}

/** The topic for a value that is still valid, where another has expired. */
export function withoutDead(topic: Topic): Topic {
  return {
    ...topic,
    subject: topic.subject & ~BIT.dead,
    body: topic.body & ~BIT.dead,
    general: topic.general.filter((fact) => fact !== EXPIRED),
  }
}

const EXPIRED = 'the code has expired'

const OFFERS = 'the mail is about offers'

/** The meanings of a subject. */
function topicConcepts({ hits, owners }: ReadLine): number {
  let concepts = 0
  for (let at = 0; at < hits.length; at += 1) {
    concepts |= topicOfWord(hits[at]?.concepts ?? 0, owners[at])
  }
  return concepts
}

/** A word that names a number, `Order 77120`, is not the topic of the mail. */
function topicOfWord(concepts: number, owner: number | undefined): number {
  return owner === FREE ? concepts : concepts & ~BIT.naming
}

/** A longer mail that does not mention signing in contains another kind of code. */
function bareFacts(
  { subject, body }: { readonly subject: number; readonly body: number },
  chars: number,
): readonly string[] {
  if (((subject | body) & (SIGN_IN | BIT.keep | BIT.password)) !== 0) return []
  if (chars <= FEW_CHARS) return []
  const isOfCode = (subject & CODE_LIKE) !== 0 || (body & BIT.enter) !== 0
  if (isOfCode && (body & BIT.valid) !== 0) {
    return ['the mail has a code that expires, but does not speak of signing in']
  }
  if (chars <= SOME_CHARS) return ['the short mail does not speak of signing in']
  return ['the mail does not speak of signing in']
}

/** Characters of each part, without what senders add to every mail. */
function charsOf(lines: readonly ReadLine[]): Readonly<Record<LineSource, number>> {
  const chars = { subject: 0, html: 0, text: 0, preheader: 0, hidden: 0 }
  // Counted by part: to add to a property by its name takes longer than the rest.
  let count = 0
  let source: LineSource = 'subject'
  for (const line of lines) {
    if (line.source !== source) {
      chars[source] += count
      source = line.source
      count = 0
    }
    if (!isAdded(line)) count += line.text.length
  }
  chars[source] += count
  return chars
}

/** A copyright, a quoted line, what separates a signature. */
const ADDED = /[©®]|^(?:>|--\s*$)/

/** A phone number, and who wrote a quoted mail when. Both have a plus sign or a colon. */
const ADDED_NUMBER = /\+\d[\d ]{7}|\d:\d\d.{0,60}:\s*$/

/** Part of a footer: an address, a phone number, a copyright. */
function isAdded({ text, concepts, signs }: ReadLine): boolean {
  if ((concepts & BIT.contact) !== 0 && (concepts & CODE_LIKE) === 0) return true
  if (((signs & SIGN.copyright) !== 0 || beginsApart(text)) && ADDED.test(text)) return true
  const mayHaveNumber = (signs & SIGN.digit) !== 0 && (signs & (SIGN.plus | SIGN.colon)) !== 0
  return mayHaveNumber && ADDED_NUMBER.test(text)
}

function beginsApart(text: string): boolean {
  const first = text === '' ? 0 : codeAt(text, 0)
  return first === 0x3e || first === 0x2d
}

/** Whether there are more words for other matters than for signing in. */
function balance(lines: readonly ReadLine[]): readonly string[] {
  let signs = 0
  let others = 0
  let promos = 0
  for (const { hits, owners } of lines) {
    for (let at = 0; at < hits.length; at += 1) {
      const concepts = topicOfWord(hits[at]?.concepts ?? 0, owners[at])
      if ((concepts & SIGNS_OF_CODE) !== 0) signs += 1
      if ((concepts & OTHER_MATTERS) !== 0) others += 1
      if ((concepts & BIT.promo) !== 0) promos += 1
    }
  }
  if (others > 0 && signs === 0) return ['the mail is about other matters']
  if (promos >= 2 && promos >= signs) return [OFFERS]
  return others >= 3 && others > 2 * signs ? ['the mail is mostly about other matters'] : []
}

function generalFacts(subject: number, body: number, isOther: boolean): readonly string[] {
  const facts: string[] = []
  if ((subject & (SIGN_IN | CODE_LIKE)) !== 0 && !isOther) {
    facts.push('the subject is about a code or signing in')
  } else if ((body & SIGN_IN) !== 0) {
    facts.push('the mail is about signing in')
  }
  if ((body & BIT.keep) !== 0) facts.push('to be kept secret, or ignored')
  if ((body & BIT.valid) !== 0) facts.push('said to expire')
  if ((subject & BIT.dead) !== 0) facts.push(EXPIRED)
  if ((subject & BIT.example) !== 0) facts.push('a mail about codes')
  if ((subject & BIT.backup) !== 0) facts.push('recovery codes')
  return facts
}

function otherFacts(subject: number, body: number, isOther: boolean): readonly string[] {
  const facts: string[] = []
  const isKept = (body & BIT.keep) !== 0
  if (isOther) {
    const isNameOnly = (subject & OTHER_MATTERS) === BIT.naming
    const isOfCode = (body & BIT.valid) !== 0 || (subject & CODE_LIKE) !== 0
    const isMild = isKept || (isNameOnly && isOfCode)
    facts.push(isMild ? ALSO_OTHER_SUBJECT : OTHER_SUBJECT)
  }
  if ((body & BIT.elsewhere) !== 0) facts.push('a code was sent another way')
  if (((body | subject) & BIT.meeting) !== 0) facts.push('the mail is about a meeting')
  const isBusiness = (body & BIT.naming) !== 0 && (body & BIT.money) !== 0
  const isSignIn = (subject & SIGN_IN) !== 0 || (body & (BIT.valid | BIT.login)) !== 0
  if (isBusiness && !isKept && !isSignIn) facts.push('the mail is about a purchase')
  return facts
}
