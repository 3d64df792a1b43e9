/**
 * The meanings of words near a number, in the order of their bits, each with its topic. Those up
 * to `enter` indicate a code, `valid` and `keep` a mail with a code, the others that a number is
 * something else.
 */
export const SPEAKS_OF = {
  code: 'a code',
  compound: 'a code',
  otp: 'a one-time code',
  pin: 'a PIN',
  password: 'a password',
  once: 'single use',
  verify: 'verifying something',
  login: 'an account or signing in',
  enter: 'entering something',
  valid: 'how long something is valid',
  keep: 'keeping something secret, or ignoring the mail',
  naming: 'an order, a ticket or another document',
  owner: 'a customer or an account',
  promo: 'a discount or a gift',
  place: 'a place or a delivery',
  meeting: 'a meeting',
  contact: 'a phone number or an address',
  money: 'an amount',
  time: 'a time',
  tech: 'software',
  backup: 'recovery codes',
  elsewhere: 'a code that was sent in another way',
  dead: 'something that has expired',
  example: 'an example',
  number: 'a number',
  ending: 'the last digits of a number',
  thing: 'a case, a request or a room',
  changed: 'a change that was made',
  settled: 'a payment or an order that is done',
  free: 'something free',
} as const

/** Name of one meaning. */
export type Concept = keyof typeof SPEAKS_OF

// The keys of an object that is written above.
/** All of them. */
export const CONCEPTS: readonly Concept[] = Object.keys(SPEAKS_OF) as Concept[]

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
