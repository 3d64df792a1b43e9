import { codeAt } from '../text/code-at.ts'
import { isChained, isPhrase } from './chained-words.ts'
import { KIND, KINDS, kindAt } from './fold.ts'
import { clauseEnd, clauseStart, isStop, mayStop } from './sentences.ts'
import { followsColon } from './tokens.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** A word or phrase with a meaning, and where it stands in its line. */
export interface PlacedWord {
  readonly start: number
  readonly end: number
  readonly concepts: number
}

/** Something in a line that could be typed as a code, and where it stands. */
export interface PlacedValue {
  readonly start: number
  readonly end: number
}

/** A word that names no number of its line, and may name one in another line. */
export const FREE = -1

/** Words for a code. */
export const CODE_LIKE = bitsOf('code', 'compound', 'otp', 'pin', 'password')

/**
 * Nouns that say what a code is for directly before the word for code, `order code`, but not with
 * another word between: `request for a code`.
 */
export const NOUNS = bitsOf('naming', 'owner', 'contact', 'money', 'tech', 'thing')

/** Meanings of words that name a number: each such word names at most one. */
export const NAMERS = CODE_LIKE | NOUNS | bitsOf('ending', 'number')

const PURPOSE = bitsOf('otp', 'verify', 'login', 'once')

/** Names of things that a code can be for. */
const NAMES_OF_PURPOSE = bitsOf(
  'naming',
  'owner',
  'thing',
  'password',
  'contact',
  'money',
  'number',
)

/** A word farther away than this does not name a number. */
const COST_MAX = 140

/** Farther than any name or number: a small integer, which is kept without an object of its own. */
const FAR = 1_000_000

/** A name stands before its number in most languages and sentences. */
const COST_BEHIND = 10

/** Costs of the characters between a name and its number: punctuation is more than a letter. */
const COSTS = new Uint8Array(0x10000).fill(1)
for (const [signs, cost] of [
  ['"“”„«»「」', 25],
  ['、', 10],
  ['([（', 12],
  [',，،)]）', 20],
] as const) {
  for (const sign of signs) COSTS[sign.charCodeAt(0)] = cost
}

/** A colon separates a number from the name behind it. */
const COST_COLON_BEHIND = 60

/** A year is named a code only directly, or as the only number at an end of its sentence. */
const YEAR = /^(?:19|20)\d\d$/
const YEAR_COST_MAX = 12
const LONE_YEAR_COST_MAX = 50

/** `case 4821`, `case: 4821`; a colon costs more: `the code on this page: 4821`. */
const THING_COST_MAX = 3
const THING_COLON_COST = 30

/** Mails about a password mention it without giving one: `the password of user 59381`. */
const PASSWORD_COST_MAX = 12
const PASSWORD_COLON_COST_MAX = 40

/** Signs that replace the digits before a masked number. */
const MASKS = '*•●…'

/** Names of one line: a line with more is not read by people. */
const NAMES_MAX = 300

/** Names and numbers to each side that are compared: more would be another sentence. */
const NEIGHBOURS_MAX = 8

interface Name {
  /** Indexes of its first and last word. */
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
  readonly concepts: number
  /** Where the next verb of entering begins: a noun before it does not name the number after it. */
  readonly verbAt: number
}

interface NamedValue extends PlacedValue {
  /** Has the form of a code; other numbers take names as well. */
  readonly isCandidate: boolean
  /** Farthest name that can make it a code. */
  readonly codeCostMax: number
  /** Farthest word for a password that can make it one. */
  readonly passwordCostMax: number
}

interface Pair {
  readonly name: number
  readonly value: number
  readonly cost: number
}

/**
 * Decides which words of a line name which of its numbers.
 *
 * Adjacent words are one name. In each sentence the nearest name and number are paired first; each
 * name then has at most one number and each number one name. Returns for each word the start of the
 * number that it names, or `FREE`.
 */
export function bindWords(
  text: string,
  words: readonly PlacedWord[],
  candidates: readonly PlacedValue[],
): readonly number[] {
  const owners = freeWords(words.length)
  if (words.length === 0) return owners
  // First: most lines have no number.
  const values = valuesOf(text, candidates)
  if (values.length === 0) return owners
  const names = namesOf(text, words)
  if (names.length === 0) return owners
  const pairs = pairsOf(text, names, values)
  if (pairs.length === 0) return owners
  sortByCost(pairs)
  const valueAt = freeWords(names.length)
  const nameAt = freeWords(values.length)
  for (const { name, value } of pairs) {
    if (valueAt[name] !== FREE || nameAt[value] !== FREE) continue
    valueAt[name] = value
    nameAt[value] = name
  }
  for (const { name, value } of pairs) {
    if (valueAt[name] === value) setOwner(owners, names[name], values[value]?.start ?? FREE)
  }
  shareWithCodes(pairs, { text, words, names, values, valueAt, nameAt, owners })
  return owners
}

/** Pairs up to this number are sorted without the memory that `sort` takes each time. */
const FEW_PAIRS = 8

/** Sorts the nearest first; pairs of one cost stay in their order. */
function sortByCost(pairs: Pair[]): void {
  if (pairs.length > FEW_PAIRS) {
    pairs.sort((one, other) => one.cost - other.cost)
    return
  }
  for (let next = 1; next < pairs.length; next += 1) {
    const pair = pairs[next]
    if (pair === undefined) break
    let at = next
    for (let before = pairs[at - 1]; before !== undefined && before.cost > pair.cost; ) {
      pairs[at] = before
      at -= 1
      before = pairs[at - 1]
    }
    pairs[at] = pair
  }
}

function setOwner(owners: number[], name: Name | undefined, owner: number): void {
  if (name === undefined) return
  for (let at = name.first; at <= name.last; at += 1) owners[at] = owner
}

/** As many words that name no number. */
export function freeWords(count: number): number[] {
  const owners = new Array<number>(count)
  // A loop and not `fill`, which takes as long as many words.
  for (let at = 0; at < count; at += 1) owners[at] = FREE
  return owners
}

interface Assignment {
  readonly text: string
  readonly words: readonly PlacedWord[]
  readonly names: readonly Name[]
  readonly values: readonly NamedValue[]
  readonly valueAt: number[]
  readonly nameAt: readonly number[]
  readonly owners: number[]
}

/**
 * A number with a name that does not say what it is, `number` or `digits`, takes a free word for
 * code as well: `your code (6 digits): 482913`.
 */
function shareWithCodes(
  pairs: readonly Pair[],
  { text, words, names, values, valueAt, nameAt, owners }: Assignment,
): void {
  for (const { name, value } of pairs) {
    const code = names[name]
    const own = names[nameAt[value] ?? FREE]
    if (code === undefined || own === undefined || valueAt[name] !== FREE) continue
    const isCode = (code.concepts & CODE_LIKE & ~BIT.password) !== 0
    if (!isCode) continue
    const isNumber = (own.concepts & NAMERS) === BIT.number
    const isOfPurpose = isPurpose(words, code, own) && !isLabel(text, own, values[value])
    if (!isNumber && !isOfPurpose) continue
    // What a code is for does not name its number.
    if (isOfPurpose) setOwner(owners, own, FREE)
    valueAt[name] = value
    setOwner(owners, code, values[value]?.start ?? FREE)
  }
}

const CONTACT_OR_MONEY = bitsOf('contact', 'money')

/** `order 4821`, `phone: 555 0142`. */
function isLabel(text: string, { end, concepts }: Name, value: NamedValue | undefined): boolean {
  const start = value?.start ?? 0
  if (start <= end + 1) return true
  return (concepts & CONTACT_OR_MONEY) !== 0 && followsColon(text, start)
}

/** `the code to confirm your order: 482913`, `the code to sign in to your customer area is`. */
function isPurpose(words: readonly PlacedWord[], code: Name, own: Name): boolean {
  if ((own.concepts & NAMERS & ~NAMES_OF_PURPOSE) !== 0 || code.end > own.start) return false
  let concepts = 0
  for (let at = code.first; at <= own.last; at += 1) concepts |= words[at]?.concepts ?? 0
  return (concepts & PURPOSE) !== 0
}

/** Names are made of adjacent words. */
function namesOf(text: string, words: readonly PlacedWord[]): readonly Name[] {
  const names: Name[] = []
  for (let first = 0; first < words.length && names.length < NAMES_MAX; ) {
    const word = words[first]
    if (word === undefined) break
    let { end, concepts } = word
    let last = first
    for (let next = words[last + 1]; next !== undefined; next = words[last + 1]) {
      if (!isChained(text, end, next.start) || hasStop(text, end, next.start)) break
      const isNoun = ((words[last]?.concepts ?? 0) & NOUNS) !== 0
      // `31 900 Ft összegű`: both words are about the amount.
      const isAmount = (concepts & next.concepts & BIT.money) !== 0
      const isOfNumber = isUnit(text, words[last]) && !isAmount
      if (isNoun && (isPhrase(text, end, next.start) || isOfNumber)) break
      // `in the window enter the code`: the verb begins another name.
      if (isNoun && isVerb(next)) break
      const isCode = (concepts & CODE_LIKE) !== 0
      if (isCode && isNamedThing(text, next, end)) break
      // `this code on the page`: only a direct neighbour says whose code it is.
      const isThing = (next.concepts & NAMERS) === BIT.thing
      if (isCode && isThing && isPhrase(text, end, next.start)) break
      concepts |= next.concepts
      end = Math.max(end, next.end)
      last += 1
    }
    if ((concepts & NAMERS) !== 0) {
      const verbAt = isNounAlone(concepts) ? verbAfter(words, last) : FAR
      names.push({ first, last, start: word.start, end, concepts, verbAt })
    }
    first = last + 1
  }
  return names
}

/** A verb of entering, which is not part of a name. */
function isVerb({ concepts }: PlacedWord): boolean {
  return (concepts & BIT.enter) !== 0 && (concepts & NAMERS) === 0
}

/** Words after a name among which a verb is searched. */
const VERB_WORDS_MAX = 6

function verbAfter(words: readonly PlacedWord[], last: number): number {
  for (let at = last + 1; at <= last + VERB_WORDS_MAX; at += 1) {
    const word = words[at]
    if (word !== undefined && isVerb(word)) return word.start
  }
  return FAR
}

function isNounAlone(concepts: number): boolean {
  return (concepts & NAMERS & ~NOUNS) === 0
}

function hasStop(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (mayStop(text, at) && isStop(text, at)) return true
  return false
}

/** `EUR` in `12 EUR`. */
function isUnit(text: string, word: PlacedWord | undefined): boolean {
  const start = word?.start ?? 0
  const at = kindAt(text, start - 1) === KIND.space ? start - 2 : start - 1
  return kindAt(text, at) === KIND.digit
}

/** `lease 20881` in `the code for lease 20881`: a noun with a number directly behind it. */
function isNamedThing(text: string, noun: PlacedWord, end: number): boolean {
  if ((noun.concepts & NOUNS) === 0 || !isPhrase(text, end, noun.start)) return false
  return kindAt(text, noun.end + 1) === KIND.digit && text.charAt(noun.end) === ' '
}

/** The candidates of a line and its other numbers, in order. */
function valuesOf(text: string, candidates: readonly PlacedValue[]): readonly NamedValue[] {
  const values: NamedValue[] = []
  let at = 0
  for (const { start, end } of candidates) {
    addNumbers(text, { start: at, end: start }, values)
    values.push({
      start,
      end,
      isCandidate: true,
      codeCostMax: codeCostMax(text, { start, end }),
      passwordCostMax: followsColon(text, start) ? PASSWORD_COLON_COST_MAX : PASSWORD_COST_MAX,
    })
    at = end
  }
  addNumbers(text, { start: at, end: text.length }, values)
  return values
}

function codeCostMax(text: string, { start, end }: PlacedValue): number {
  const sign = text.charAt(start - 1)
  // Asterisks on both sides are emphasis.
  if (sign !== '' && MASKS.includes(sign) && sign !== text.charAt(end)) return 0
  if (text.startsWith('..', start - 2)) return 0
  if (!YEAR.test(text.slice(start, end))) return COST_MAX
  return isLoneYear(text, { start, end }) ? LONE_YEAR_COST_MAX : YEAR_COST_MAX
}

/** `is`, `est`, `это`: a short word that is no preposition or month, or a colon. */
const COPULA =
  /(?:(?<!\p{L})(?!(?:in|im|i|en|em|el|al|od|do|za|til|ab|bis|per|på|den|der|v|w|u|na|of|de|du|di|vor|mai|maj|mei|mar|jan|по|до|за|от|од|від|з|с|у|к|в|на|май)\s)(?:\p{Ll}{1,3}|jest|este)|[:：])\s?$/u
const COPULA_CHARS_MAX = 6

/** `2026 is your code`, `the PIN of the app is 2024`; not `before June 2026`. */
export function isLoneYear(text: string, { start, end }: PlacedValue): boolean {
  if (!/\p{L}/u.test(text.slice(clauseStart(text, start), start))) return true
  const isAtEnd = !/^[^(（,]*\p{L}/u.test(text.slice(end, clauseEnd(text, end)))
  return isAtEnd && COPULA.test(text.slice(Math.max(0, start - COPULA_CHARS_MAX), start))
}

/** Numbers without the form of a code: `12`, `1,284.00`, `14:30`. */
function addNumbers(text: string, { start, end }: PlacedValue, values: NamedValue[]): void {
  for (let at = start; at < end; at += 1) {
    if (KINDS[codeAt(text, at)] !== KIND.digit) continue
    const from = at
    while (at < end && isInNumber(text, at)) at += 1
    values.push({ start: from, end: at, isCandidate: false, codeCostMax: 0, passwordCostMax: 0 })
  }
}

function isInNumber(text: string, at: number): boolean {
  return kindAt(text, at) === KIND.digit || '.,:/-*•'.includes(text.charAt(at))
}

/** The pairs of a name and a near number in one sentence, with their distance. */
function pairsOf(text: string, names: readonly Name[], values: readonly NamedValue[]): Pair[] {
  const pairs: Pair[] = []
  let next = 0
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]
    if (name === undefined) break
    while ((values[next]?.start ?? FAR) < name.start) next += 1
    const isCode = (name.concepts & CODE_LIKE) !== 0
    const isThing = (name.concepts & NAMERS) === BIT.thing
    let cost = 0
    let from = name.end
    for (let at = next; at < next + NEIGHBOURS_MAX && at < values.length; at += 1) {
      const value = values[at]
      if (value === undefined || value.start < from) continue
      cost += distance(text, from, value.start)
      if (isThing && followsColon(text, value.start)) cost += THING_COLON_COST
      if (cost > COST_MAX || name.verbAt < value.start) break
      if (canName(name, value, cost)) pairs.push({ name: index, value: at, cost })
      // Only a word for code reaches beyond a number that another word names.
      if (!isCode) break
      from = value.end
    }
    const before = values[next - 1]
    if (before === undefined || before.end > name.start || isThing) continue
    const behind = costBehind(text, name, before)
    if (behind <= COST_MAX && canName(name, before, behind)) {
      pairs.push({ name: index, value: next - 1, cost: behind })
    }
  }
  return pairs
}

function canName({ concepts }: Name, value: NamedValue, cost: number): boolean {
  if ((concepts & NAMERS) === BIT.thing) {
    return (
      cost <= THING_COST_MAX ||
      (cost > THING_COLON_COST && cost <= THING_COLON_COST + THING_COST_MAX)
    )
  }
  if ((concepts & CODE_LIKE) === 0) return true
  if (!value.isCandidate || cost > value.codeCostMax) return false
  return !isPasswordAlone(concepts) || cost <= value.passwordCostMax
}

function isPasswordAlone(concepts: number): boolean {
  return (concepts & (CODE_LIKE | BIT.once)) === BIT.password
}

/** The beginning of a quotation between a number and a name: `with number 4821, "No code"`. */
const QUOTED_NAME = /.["“„«「]/u

/** Brackets beside a number. */
const CLOSING = /^[\s\p{L}]{0,3}[)\]）］]/u
const OPENING = /[([（［]\s?$/u

const THING_OR_OWNER = bitsOf('thing', 'owner')

function costBehind(text: string, { start, concepts }: Name, value: NamedValue): number {
  const between = text.slice(value.end, Math.min(start, value.end + COST_MAX))
  if (QUOTED_NAME.test(between)) return FAR
  // `(invoice 10417) is the code`; brackets around the number alone are emphasis.
  const opening = text.slice(Math.max(0, value.start - 2), value.start)
  const isBracketed = CLOSING.test(between) && !OPENING.test(opening)
  if (isBracketed && (concepts & CODE_LIKE) !== 0) return FAR
  // `the password of card 4821`, with the number first in Chinese, Turkish or Armenian.
  const isOfThing = value.start > 0 || (concepts & THING_OR_OWNER) !== 0
  if (isPasswordAlone(concepts) && isOfThing) return FAR
  const cost = distance(text, value.end, start)
  // `12 EUR`, `6-digit`
  if (cost <= 1 && (concepts & CODE_LIKE) === 0) {
    const isCount = (concepts & NAMERS) === BIT.number && !value.isCandidate
    return isCount ? FAR : cost
  }
  const hasColon = /[:：]/.test(between)
  return cost + COST_BEHIND + (hasColon ? COST_COLON_BEHIND : 0)
}

/** Characters between a name and a number; punctuation counts more, and a sentence ends it. */
function distance(text: string, start: number, end: number): number {
  let cost = 0
  for (let at = start; at < end; at += 1) {
    if (mayStop(text, at) && isStop(text, at)) return FAR
    cost += COSTS[codeAt(text, at)] ?? 1
    if (cost > COST_MAX) return FAR
  }
  return cost
}
