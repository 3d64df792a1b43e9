/**
 * What words near a number can mean. Those up to `enter` indicate a code, `valid` and `keep` a mail
 * with a code, the others that a number is something else.
 */
export const CONCEPTS = [
  /** Code, in general. */
  'code',
  /** A compound that ends in `code` and whose beginning is not in the tables. */
  'compound',
  /** A word or phrase that means a one-time code and hardly anything else. */
  'otp',
  'pin',
  'password',
  /** One-time, temporary. */
  'once',
  /** Verify, confirm, security, identity. */
  'verify',
  /** Sign in, register, account, reset. */
  'login',
  /** Enter, type, use, below. */
  'enter',
  /** Expires, valid for. */
  'valid',
  /** Do not share it; ignore this mail if you did not request it. */
  'keep',
  /** What a number names: order, invoice, ticket, booking. */
  'naming',
  /** Whom a number names: customer, member, account. */
  'owner',
  /** Coupon, discount, referral, gift card. */
  'promo',
  /** Courier, locker, door, stay: codes to be used somewhere else. */
  'place',
  'meeting',
  /** Phone and postal address. */
  'contact',
  'money',
  'time',
  /** Version, error code, source code. */
  'tech',
  /** Recovery and backup codes, in the plural. */
  'backup',
  /** The code was sent by another channel. */
  'elsewhere',
  /** Expired, already used. */
  'dead',
  /** Only mentioned as an example. */
  'example',
  /** Number, digits. */
  'number',
  /** Last digits of a card or phone. */
  'ending',
  /** Names a number only directly before it: case, request, room, platform. */
  'thing',
  /** Changed, in the past: a notice of what happened. */
  'changed',
  /** Paid, charged, booked: a payment or an order that is done. */
  'settled',
  /** Free of charge, a gift. */
  'free',
] as const

/** Name of one meaning. */
export type Concept = (typeof CONCEPTS)[number]

/**
 * The words of each language by meaning: comma-separated words and phrases in any spelling that
 * folding makes equal. `*` after a word stands for any ending, before it for any beginning; `^`
 * requires capitals.
 */
export type Lexicon = Readonly<Record<string, Readonly<Partial<Record<Concept, string>>>>>

/** The bit of each meaning in a set of meanings. */
export const BIT = toBits()

function toBits(): Readonly<Record<Concept, number>> {
  const bits = CONCEPTS.map((concept, index) => [concept, 1 << index] as const)
  // fromEntries loses the type of the keys, which are exactly those of CONCEPTS.
  return Object.fromEntries(bits) as Record<Concept, number>
}

/** A set of meanings. */
export function bitsOf(...concepts: readonly Concept[]): number {
  return concepts.reduce((bits, concept) => bits | BIT[concept], 0)
}
