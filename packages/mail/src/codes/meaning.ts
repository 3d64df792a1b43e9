import type { Label } from './context.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** What the words beside a number make of it: points for a code, or against one. */
export interface Meaning {
  readonly points: number
  readonly reason: string
  /** Said in words that mean a one-time code and nothing else. */
  readonly isOtp?: boolean
  /** Only asked to be entered, and not called anything. */
  readonly isAsked?: boolean
  /** Called a code, and nothing said about what for. */
  readonly isBare?: boolean
  /** Said in a line that is not the one right above. */
  readonly isFar?: boolean
}

/** Nothing is said. */
export const NO_MEANING: Meaning = { points: 0, reason: '' }

/** Words that a code is called by. */
export const CODE_LIKE = bitsOf('code', 'compound', 'otp', 'pin', 'password')

const PURPOSE = bitsOf('verify', 'login', 'once')

/** What a code is not called by, strongest reason first, with its name. */
const OTHERS = [
  ['backup', 'a list of recovery codes'],
  ['promo', 'a coupon, discount or referral code'],
  ['place', 'a code for a delivery, door or counter'],
  ['meeting', 'a meeting code'],
  ['ending', 'the last digits of a card or phone number'],
  ['contact', 'a phone number or postal address'],
  ['tech', 'a technical number'],
  ['money', 'an amount'],
  ['owner', 'the number of a customer or an account'],
  ['naming', 'the number of an order, invoice, ticket or booking'],
] as const

/** These say so even where the label is the strongest there is: an OTP for the courier. */
const EVEN_OF_OTP = bitsOf('promo', 'place', 'backup')

/** Within a sentence these decide, however far from the number. */
const OF_SENTENCE = bitsOf('promo', 'place', 'backup', 'meeting')

/** Words that say that a number is no code. */
export const OTHERWISE = OTHERS.reduce((bits, [concept]) => bits | BIT[concept], 0)

/** Others than names: a code that confirms an order is a code, one for a locker is not. */
const NOT_NAMES = OTHERWISE & ~bitsOf('naming', 'owner')

/** Points of a label that says what the number is instead. */
const NAMED_OTHERWISE = -5

/** Between these and their digits stands a preposition: `ending in`, `call us at`. */
const LED_BY_PREPOSITION = bitsOf('ending', 'contact')
const PREPOSITION_CHARS_MAX = 8

/** Characters of the thing that a code is of. */
const THING_CHARS_MAX = 30

/** Of, with or without the article, in the Romance languages, and a noun. */
const OF_THING =
  /^\s+(?:del?|de l[ao]s?|di|dell[aoe]|d[oa]|du|des|(?:de l|d|dell)['’])\s*\p{Ll}{4}/u

interface Nearness {
  /** Digits, or capitals and digits: what can be typed without being called a code. */
  readonly isNumeric: boolean
  /** Nothing but signs and number words stands between label and number. */
  readonly isTouching: boolean
}

/** Reads a label. */
export function meaningOf(label: Label, near: Nearness): Meaning {
  const { concepts, clause } = label
  if (concepts === 0) return NO_MEANING
  const isOtp = (concepts & BIT.otp) !== 0
  const other = otherwise(concepts & (isOtp ? EVEN_OF_OTP : OTHERWISE))
  const isCode = (concepts & CODE_LIKE) !== 0
  const byPreposition = concepts & LED_BY_PREPOSITION
  if (byPreposition !== 0 && !isCode && label.gap <= PREPOSITION_CHARS_MAX) {
    return otherwise(byPreposition) ?? NO_MEANING
  }
  if (other !== null && (isCode || near.isTouching)) {
    const isConfirmed = isCode && (concepts & PURPOSE) !== 0 && (concepts & NOT_NAMES) === 0
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

/** Takes from a bare label what stands behind it: `código del torno` is of a thing unknown. */
export function unlessOfThing(meaning: Meaning, behind: string): Meaning {
  const isOfThing = behind.length <= THING_CHARS_MAX && OF_THING.test(behind)
  if (meaning.isBare !== true || !isOfThing) return meaning
  return { ...meaning, points: meaning.points - 2.2 }
}

/** What decides within a sentence. Nobody is to be shown a code that is to be kept. */
function decisive(isOtp: boolean, clause: number): number {
  if ((clause & BIT.keep) !== 0) return 0
  if (isOtp) return EVEN_OF_OTP
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
  if (hasPurpose) return { points: 4, reason: 'called a code to verify or sign in' }
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
  const points = isSure || isBoth ? 3 : 1.8
  return { points, reason: 'beside words for verifying or signing in' }
}

function asked(points: number, reason: string): Meaning {
  return { points, reason, isAsked: true }
}

/** The further away a label is, the less it says. */
function scaled(meaning: Meaning, gap: number): Meaning {
  if (gap <= 24) return meaning
  return { ...meaning, points: meaning.points * (gap <= 60 ? 0.85 : 0.7) }
}
