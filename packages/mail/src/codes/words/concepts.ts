/**
 * What words near a number can mean. The first eight speak for a code, `keep` and `valid` say that
 * the mail is of that kind, the others say that a number is something else.
 */
export const CONCEPTS = [
  /** Code, in general. */
  'code',
  /** A compound that ends in `code` and whose beginning no table knows. */
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
  /** Share it with nobody; ignore this mail if you did not ask. */
  'keep',
  /** What a number names: order, invoice, ticket, booking. */
  'naming',
  /** Whom a number names: customer, member, account. */
  'owner',
  /** Coupon, discount, referral, gift card. */
  'promo',
  /** Courier, locker, door, stay: codes that are shown or typed somewhere else. */
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
  /** The code was sent by another way. */
  'elsewhere',
  /** Expired, already used. */
  'dead',
  /** Only talked about. */
  'example',
  /** Number, digits. */
  'number',
  /** Last digits of a card or phone. */
  'ending',
] as const

/** Name of one meaning. */
export type Concept = (typeof CONCEPTS)[number]

/**
 * The words of each language by meaning: comma-separated words and phrases in any spelling that
 * folding makes equal. `*` behind a word stands for any ending, before it for any beginning;
 * `^` asks for capitals.
 */
export type Lexicon = Readonly<Record<string, Readonly<Partial<Record<Concept, string>>>>>

/** The bit of each meaning in a set of meanings. */
export const BIT = toBits()

function toBits(): Readonly<Record<Concept, number>> {
  const bits = CONCEPTS.map((concept, index) => [concept, 1 << index] as const)
  // fromEntries forgets the keys; they are those of CONCEPTS, all of them.
  return Object.fromEntries(bits) as Record<Concept, number>
}

/** A set of meanings. */
export function bitsOf(...concepts: readonly Concept[]): number {
  return concepts.reduce((bits, concept) => bits | BIT[concept], 0)
}
