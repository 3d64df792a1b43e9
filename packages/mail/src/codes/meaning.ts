import { CODE_LIKE } from './binding.ts'
import type { Label } from './context.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** What a label says about a number: points for or against a code. */
export interface Meaning {
  readonly points: number
  readonly reason: string
  /** The words that say it, as written. */
  readonly words?: string
  /** Called by words that mean a one-time code and nothing else. */
  readonly isOtp?: boolean
  /** Called a code to sign in, or for one use. */
  readonly isForSignIn?: boolean
  /** The reader is asked to enter it, but it is not called a code. */
  readonly isAsked?: boolean
  /** Called a code, without a purpose. */
  readonly isBare?: boolean
  /** The label is not in the line directly above. */
  readonly isFar?: boolean
}

/** No label. */
export const NO_MEANING: Meaning = { points: 0, reason: '' }

const PURPOSE = bitsOf('verify', 'login', 'once')

/** What a value of an offer is called. */
export const COUPON = 'a coupon, discount or referral code'

/** Words for something else, the strongest reason first. */
const OTHERS = [
  ['backup', 'a list of recovery codes'],
  ['promo', COUPON],
  ['place', 'a code for a delivery, door or counter'],
  ['meeting', 'a meeting code'],
  ['ending', 'the last digits of a card or phone number'],
  ['contact', 'a phone number or postal address'],
  ['tech', 'a technical number'],
  ['money', 'an amount'],
  ['owner', 'the number of a customer or an account'],
  ['naming', 'the number of an order, invoice, ticket or booking'],
  ['thing', 'the number of a thing or a place'],
] as const

/** These outweigh even a word for a one-time code: an OTP for the courier. */
const EVEN_OF_OTP = bitsOf('promo', 'place', 'backup')

const TO_SIGN_IN = bitsOf('enter', 'login')

/** These decide anywhere in the sentence. */
const OF_SENTENCE = bitsOf('promo', 'place', 'backup', 'meeting')

/** Words that say that a number is not a code. */
export const OTHERWISE = OTHERS.reduce((bits, [concept]) => bits | BIT[concept], 0)

/** A code that confirms an order, a payment or an address is a code, one for a locker is not. */
const NOT_CONFIRMED = OTHERWISE & ~bitsOf('naming', 'owner', 'thing', 'money', 'contact')

/** Points of a label that says what the number is instead. */
const NAMED_OTHERWISE = -5

const CHANGED: Meaning = { points: NAMED_OTHERWISE, reason: 'beside a password that was changed' }

/** A preposition may separate these from their digits: `ending in`, `call us at`. */
const LED_BY_PREPOSITION = bitsOf('ending', 'contact')
const PREPOSITION_CHARS_MAX = 8

/** Characters of the thing that a code is of. */
const THING_CHARS_MAX = 30

/** "Of" with or without an article in Romance languages, followed by a noun. */
const OF_THING =
  /^\s+(?:del?|de l[ao]s?|di|dell[aoe]|d[oa]|du|des|(?:de l|d|dell)['’])\s*\p{Ll}{4}/u

interface Nearness {
  /** Digits, or capitals and digits: what can be typed without being called a code. */
  readonly isNumeric: boolean
  /** Only punctuation separates label and number. */
  readonly isTouching: boolean
}

/** The meaning of a label. */
export function meaningOf(label: Label, near: Nearness): Meaning {
  const meaning = meaningOfConcepts(label, near)
  return meaning.points === 0 ? meaning : { ...meaning, words: label.words }
}

function meaningOfConcepts(label: Label, near: Nearness): Meaning {
  const { concepts, clause } = label
  if (concepts === 0) return NO_MEANING
  const isOtp = (concepts & BIT.otp) !== 0
  const other = otherwise(concepts & (isOtp ? EVEN_OF_OTP : OTHERWISE))
  const isCode = (concepts & CODE_LIKE) !== 0
  // `the password of your account 330187 was changed`
  const isPassword = (concepts & (CODE_LIKE | BIT.once)) === BIT.password
  if (isPassword && (clause & BIT.changed) !== 0) return CHANGED
  const byPreposition = concepts & LED_BY_PREPOSITION
  if (byPreposition !== 0 && !isCode && label.gap <= PREPOSITION_CHARS_MAX) {
    return otherwise(byPreposition) ?? NO_MEANING
  }
  if (other !== null && (isCode || near.isTouching)) {
    // `the password of your account 330187` is not given.
    const isGiven = (concepts & CODE_LIKE & ~BIT.password) !== 0
    const isConfirmed = isGiven && (concepts & PURPOSE) !== 0 && (concepts & NOT_CONFIRMED) === 0
    return isConfirmed ? { points: 3, reason: 'called a code' } : other
  }
  if (((clause | concepts) & CODE_LIKE) !== 0) {
    const ofSentence = otherwise(clause & decisive(isOtp, clause))
    if (ofSentence !== null) return ofSentence
  }
  if (isCode) return scaled(codeMeaning(concepts, clause, near), label.gap)
  if ((clause & CODE_LIKE) !== 0) return scaled(codeMeaning(clause & CODE_LIKE, clause, near), 60)
  if (other !== null) return { ...other, points: other.points / 2 }
  return near.isNumeric ? actMeaning(concepts, clause, near) : NO_MEANING
}

/** Lowers a bare label that names an unknown thing: `código del torno`. */
export function unlessOfThing(meaning: Meaning, behind: string): Meaning {
  const isOfThing = behind.length <= THING_CHARS_MAX && OF_THING.test(behind)
  if (meaning.isBare !== true || !isOfThing) return meaning
  return { ...meaning, points: meaning.points - 2.2 }
}

/** The meanings that decide for the whole sentence; none if the code is to be kept secret. */
function decisive(isOtp: boolean, clause: number): number {
  if ((clause & BIT.keep) !== 0) return 0
  // `to change the delivery address, enter the verification code`
  if (isOtp) return (clause & BIT.enter) === 0 ? EVEN_OF_OTP : 0
  // `enter the code to log in to Harbor Delivery`
  if ((clause & TO_SIGN_IN) === TO_SIGN_IN) return 0
  return (clause & PURPOSE) !== 0 ? OF_SENTENCE & ~BIT.meeting : OF_SENTENCE
}

function otherwise(concepts: number): Meaning | null {
  for (const [concept, reason] of OTHERS) {
    if ((concepts & BIT[concept]) !== 0) return { points: NAMED_OTHERWISE, reason }
  }
  return null
}

function codeMeaning(concepts: number, clause: number, { isNumeric }: Nearness): Meaning {
  if ((concepts & BIT.otp) !== 0)
    return { points: 4.5, reason: 'called a one-time code', isOtp: true }
  const hasPurpose = (concepts & PURPOSE) !== 0
  if (hasPurpose) {
    const isForSignIn = (concepts & bitsOf('login', 'once')) !== 0
    return { points: 4, reason: 'called a code to verify or sign in', isForSignIn }
  }
  const isPassword = (concepts & CODE_LIKE) === BIT.password
  if (isPassword && !isNumeric) return { points: 1.2, reason: 'called a password' }
  const isMeant = (clause & (PURPOSE | BIT.enter)) !== 0
  if (isMeant) return { points: 3.8, reason: 'called a code' }
  const points = (concepts & CODE_LIKE) === BIT.compound ? 2.6 : 3.4
  return { points, reason: 'called a code', isBare: true }
}

function actMeaning(concepts: number, clause: number, { isTouching }: Nearness): Meaning {
  const hasPurpose = (clause & PURPOSE) !== 0
  const isEntered = (clause & BIT.enter) !== 0
  const isNumber = (clause & BIT.number) !== 0
  if (isNumber && (concepts & (PURPOSE | BIT.number)) !== 0 && hasPurpose) {
    return asked(3.2, 'called a number to verify or sign in')
  }
  if (isNumber && isEntered) return { ...asked(2.6, 'called a number to enter'), isBare: true }
  const acts = concepts & (PURPOSE | BIT.enter)
  if (acts === 0) return NO_MEANING
  if (isEntered && hasPurpose) {
    return asked(isTouching ? 3.2 : 2.5, 'to be entered to verify or sign in')
  }
  if ((acts & BIT.enter) !== 0) return asked(1.5, 'to be entered')
  const isSure = isTouching && (acts & BIT.verify) !== 0
  const isBoth = (acts & BIT.verify) !== 0 && (clause & BIT.login) !== 0
  const points = isSure ? 3.3 : isBoth ? 3 : 1.8
  return { points, reason: 'beside words for verifying or signing in' }
}

function asked(points: number, reason: string): Meaning {
  return { points, reason, isAsked: true }
}

/** A more distant label counts less. */
function scaled(meaning: Meaning, gap: number): Meaning {
  if (gap <= 24) return meaning
  return { ...meaning, points: meaning.points * (gap <= 60 ? 0.85 : 0.7) }
}
