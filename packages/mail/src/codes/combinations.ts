import { CODE_LIKE } from './binding.ts'
import type { Shape } from './groups.ts'
import { SIGN_IN, type Topic } from './mail-topic.ts'
import type { Meaning } from './meaning.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** What facts about a value are combined from. */
export interface Combined {
  readonly value: string
  readonly meaning: Meaning
  readonly shape: Shape
  readonly style: readonly string[]
  /** Has a digit. */
  readonly isNumber: boolean
  readonly isAlone: boolean
  /** In a line of a label and a value. */
  readonly isLabelled: boolean
  /** Behind a label with a colon that does not speak of a code or of entering. */
  readonly isLabelledOtherwise: boolean
  /** The last digits of a card are in its line. */
  readonly isBesideMasked: boolean
  /** Something in the mail is set off. */
  readonly isStyled: boolean
  /** Its name has a word beside the word for code that is not in the tables. */
  readonly isOfUnknown: boolean
  /** Nothing in the mail is clearly called a code. */
  readonly isNoneNamed: boolean
  /** Made of letters, in a mail that asks to enter a number. */
  readonly isNumberAsked: boolean
  /** The only number of the mail that stands alone. */
  readonly isOnlyAlone: boolean
  /** Meanings by relation, in the order of `RELATIONS`. */
  readonly relations: Int32Array
  readonly topic: Topic
}

/** Facts that mean more together than each does alone. */
export function addCombined(all: Combined, facts: Set<string>): void {
  addUnnamed(all, facts)
  addEntered(all, facts)
  addMatter(all, facts)
  addFigure(all, facts)
  addDoubtful(all, facts)
}

const KEPT = bitsOf('valid', 'keep')
const STRIKING = ['large', 'one cell or line for each character']

/** Relations of words in the sentence of a value, beside it, and above it. */
const SENTENCE = [0, 1, 2, 3]
const BESIDE = [4, 5, 9, 10]
const SENTENCE_OR_ABOVE = [...SENTENCE, 4, 6, 9]

function conceptsOf({ relations }: Combined, indexes: readonly number[]): number {
  return indexes.reduce((all, index) => all | (relations[index] ?? 0), 0)
}

/** Adds a fact that is true. */
function note(facts: Set<string>, fact: string, isTrue: boolean): void {
  if (isTrue) facts.add(fact)
}

/** For values that nothing calls a code. */
function addUnnamed(all: Combined, facts: Set<string>): void {
  if (all.meaning.points !== 0 || !all.isNumber) return
  const { topic, style, isOnlyAlone } = all
  const isSignIn = ((topic.subject | topic.body) & SIGN_IN) !== 0
  const isOfCode = ((topic.subject | topic.body) & CODE_LIKE) !== 0
  const isStriking = STRIKING.some((fact) => style.includes(fact))
  note(facts, 'unnamed, alone', isOnlyAlone)
  note(
    facts,
    'unnamed, alone, the mail speaks of a code',
    isOnlyAlone && all.isNoneNamed && isOfCode,
  )
  note(facts, 'unnamed, the mail speaks of a code', all.isNoneNamed && isOfCode)
  note(facts, 'unnamed, alone, kept secret or expires', isOnlyAlone && (topic.body & KEPT) !== 0)
  note(facts, 'unnamed, alone, in a mail about signing in', isOnlyAlone && isSignIn)
  note(facts, 'unnamed, alone, striking', isOnlyAlone && isStriking)
  note(facts, 'unnamed, bold', style.includes('bold'))
  note(facts, 'unnamed, a word for code near', (conceptsOf(all, BESIDE) & CODE_LIKE) !== 0)
}

/** For values with a verb of entering in their sentence or above them. */
function addEntered(all: Combined, facts: Set<string>): void {
  const { shape, isAlone, isNumber, topic } = all
  const isEntered = isNumber && (conceptsOf(all, SENTENCE) & BIT.enter) !== 0
  const isFor = (conceptsOf(all, SENTENCE_OR_ABOVE) & SIGN_IN) !== 0
  const isCodeNear = (conceptsOf(all, BESIDE) & CODE_LIKE) !== 0
  const isBelow = isAlone && (conceptsOf(all, [6, 11]) & BIT.enter) !== 0
  const isNoOffer = isFor && ((topic.subject | topic.body) & bitsOf('promo', 'free')) === 0
  note(facts, 'entered', isEntered)
  note(facts, 'entered, kept secret or expires', isEntered && (topic.body & KEPT) !== 0)
  note(facts, 'entered, to verify or sign in', isEntered && isFor)
  note(facts, 'entered, a word for code near', isEntered && isCodeNear)
  note(facts, 'letters, a number is to be entered', all.isNumberAsked)
  note(facts, 'letters and digits, entered, no offer', isEntered && shape === 'mixed' && isNoOffer)
  note(facts, 'letters below a verb of entering', shape === 'letters' && isBelow)
  note(facts, 'words below a verb of entering', shape === 'words' && isBelow)
}

/** For values that may have another name, or that nothing is to be done with. */
function addDoubtful(all: Combined, facts: Set<string>): void {
  const { meaning, topic, isLabelledOtherwise, isOfUnknown, isStyled } = all
  const { subject, body } = topic
  const isIdle = (body & bitsOf('enter', 'valid')) === 0
  const isBare = meaning.isBare === true
  const isSilent = ((body | subject) & (SIGN_IN | BIT.valid | BIT.keep)) === 0
  const isNotice = (conceptsOf(all, SENTENCE) & BIT.changed) !== 0
  note(facts, 'in a notice of a change', isNotice)
  note(facts, 'a subject without a meaning, named', subject === 0 && meaning.points >= NAMED)
  note(facts, 'a subject without a meaning, not named', subject === 0 && meaning.points < NAMED)
  note(facts, 'no style in the mail, named', !isStyled && meaning.points >= NAMED)
  note(facts, 'no style in the mail, not named', !isStyled && meaning.points < NAMED)
  note(facts, 'labelled, but not as a code', isLabelledOtherwise)
  note(
    facts,
    'labelled, but not as a code, in a mail with a code',
    isLabelledOtherwise && (body & CODE_LIKE) !== 0,
  )
  note(facts, 'labelled, but not as a code, nothing to do with it', isLabelledOtherwise && isIdle)
  note(facts, 'a plain name with an unknown word', isOfUnknown && isBare)
  note(
    facts,
    'a plain name with an unknown word, nothing to do with it',
    isOfUnknown && isBare && isIdle,
  )
  note(facts, 'a plain name with an unknown word, no other sign', isOfUnknown && isBare && isSilent)
}

/** Points of a name that clearly says what a value is. */
const NAMED = 3

/** Characters of a mail that is long enough to say what a code is for. */
const SHORT_CHARS = 100
const MEDIUM_CHARS = 300

const BUSINESS = bitsOf('naming', 'money')
const OTHER_MATTERS = bitsOf('naming', 'money', 'promo', 'place', 'meeting')
const ACTS = bitsOf('enter', 'valid', 'keep')

/** Numbers of manuals; tests use them as codes, too. */
const SEQUENCE = /^(?:0?1234(?:5(?:6(?:78?)?)?)?|654321|(\d)\1+|ABC123)$/

/** For what the mail is about, and what is to be done with the value. */
function addMatter(all: Combined, facts: Set<string>): void {
  const { meaning, shape, topic, value } = all
  const { subject, body, chars, hasPercent } = topic
  const isKept = (body & KEPT) !== 0
  const isIdle = (body & ACTS) === 0
  const isSecret = (body & BIT.keep) !== 0
  const isCalled = meaning.points > 0
  const isNamed = meaning.points >= NAMED
  const isLong = chars > SHORT_CHARS
  const isBusiness = (body & BUSINESS) === BUSINESS || (subject & BIT.naming) !== 0
  const isAsked = (conceptsOf(all, [...SENTENCE, 6, 9]) & BIT.enter) !== 0
  const isOf = (concepts: number): boolean => ((body | subject) & concepts) !== 0
  const isBare = meaning.isBare === true
  const isUnused = isNothingToEnter(topic)
  // A TAN is said to be for an amount.
  const isMoney = (body & BIT.money) !== 0 || (topic.figures.amounts > 0 && meaning.isOtp !== true)
  const isOneLiner = !isLong && !isOf(OTHER_MATTERS) && topic.figures.amounts === 0
  note(facts, 'a short mail', !isLong)
  note(facts, 'a short mail about nothing else, called a code', isOneLiner && isNamed)
  note(facts, 'a short mail about nothing else, a plain name', isOneLiner && isBare)
  note(facts, 'a mail', isLong && chars <= MEDIUM_CHARS)
  note(facts, 'a long mail', chars > MEDIUM_CHARS)
  note(facts, 'a plain name, no word of signing in', isBare && !isOf(SIGN_IN))
  note(facts, 'a plain name, kept secret or expires', isBare && isKept)
  note(facts, 'nothing to do with it', isLong && isIdle)
  note(facts, 'named, but nothing to do with it', isLong && isIdle && isNamed)
  note(facts, 'business, nothing to do with it', isBusiness && isIdle && isCalled)
  note(facts, 'business, never expires', isBusiness && !isKept && isCalled)
  note(facts, 'business, entered', isBusiness && isAsked)
  note(facts, 'meeting, never expires', isOf(BIT.meeting) && !isKept)
  note(facts, 'meeting, called a one-time code', isOf(BIT.meeting) && meaning.isOtp === true)
  note(facts, 'place, never expires', isOf(BIT.place) && !isKept)
  note(facts, 'offer, not secret', isOf(BIT.promo) && !isSecret)
  note(facts, 'letters and digits, named', shape === 'mixed' && isNamed)
  note(
    facts,
    'code and order in the subject',
    (subject & CODE_LIKE) !== 0 && (subject & BIT.naming) !== 0,
  )
  note(facts, 'an amount, nothing to enter', isMoney && isUnused && isCalled)
  note(facts, 'a percentage in the mail', hasPercent)
  note(facts, 'a percentage, not secret', hasPercent && !isSecret && isCalled)
  note(
    facts,
    'a sequence of digits in a mail with examples',
    SEQUENCE.test(value) && isOf(bitsOf('example', 'tech')),
  )
  note(facts, 'kept secret and expires', isSecret && (body & BIT.valid) !== 0)
}

/** A bank that sends a code without a verb of entering names it in the subject. */
function isNothingToEnter({ subject, body }: Topic): boolean {
  return (body & bitsOf('enter', 'keep')) === 0 && (subject & CODE_LIKE) === 0
}

/** `F25NOV` in a mail with 25 %, `DR3001` in one with 300 EUR. */
function isOfOffer(value: string, offered: ReadonlySet<string>): boolean {
  const digits = /\d{2,}/.exec(value)?.[0] ?? ''
  return digits !== '' && [...offered].some((number) => digits.startsWith(number))
}

/** For the numbers of the mail. */
function addFigure(all: Combined, facts: Set<string>): void {
  const { meaning, shape, topic, value, isLabelled } = all
  const { amounts, hasMasked, hasMinutes, labelled, hasPlaceholder, offered } = topic.figures
  const isUnused = isNothingToEnter(topic)
  const isRead = (topic.body & BIT.enter) === 0 && (topic.subject & CODE_LIKE) === 0
  const isCalled = meaning.points > 0
  // A bank that sends a one-time code asks to keep it secret, and tells the balance as well.
  const isSecretOtp = meaning.isOtp === true && (topic.body & BIT.keep) !== 0
  const isDoubted = isCalled && !isSecretOtp
  const isListed = amounts > 0 && isLabelled && labelled > 1 && isDoubted
  const isSettled = ((topic.body | topic.subject) & BIT.settled) !== 0 && isDoubted
  const isExpiring = (topic.body & BIT.valid) !== 0 || hasMinutes
  note(facts, 'a placeholder in the mail', hasPlaceholder)
  note(
    facts,
    'with the number of an offer, as coupons are',
    shape === 'mixed' && isOfOffer(value, offered),
  )
  note(facts, 'one amount', amounts === 1)
  note(facts, 'several amounts', amounts > 1)
  note(facts, 'several amounts, nothing to enter', amounts > 1 && isUnused && isCalled)
  note(
    facts,
    'several amounts, not secret',
    amounts > 1 && (topic.body & BIT.keep) === 0 && isCalled,
  )
  note(facts, 'several amounts, no verb of entering', amounts > 1 && isRead && isCalled)
  note(facts, 'a masked number, no verb of entering', hasMasked && isRead && isCalled)
  note(facts, 'a masked number', hasMasked)
  note(facts, 'a masked number, nothing to enter', hasMasked && isUnused && isCalled)
  note(facts, 'a masked number in its line', all.isBesideMasked && isCalled)
  note(
    facts,
    'a masked number in its line, no verb of entering',
    all.isBesideMasked && isRead && isCalled,
  )
  note(facts, 'a time of minutes', hasMinutes)
  note(facts, 'a time of minutes, called a code', hasMinutes && isCalled)
  note(facts, 'one of several labelled values', isLabelled && labelled > 2)
  note(
    facts,
    'one of several labelled values, nothing to enter',
    isLabelled && labelled > 2 && isUnused,
  )
  note(facts, 'an amount and labelled values, no verb of entering', isListed && isRead)
  note(facts, 'an amount and labelled values, no sign of a code', isListed && !isExpiring)
  note(facts, 'settled, no verb of entering', isSettled && isRead)
  note(
    facts,
    'settled, an amount, no verb of entering',
    isSettled && amounts > 0 && (topic.body & BIT.enter) === 0,
  )
  note(facts, 'settled, never expires', isSettled && !isExpiring)
  note(facts, 'several labelled values, nothing to enter', labelled > 2 && isUnused && isCalled)
}
