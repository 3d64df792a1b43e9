import type { Candidate } from './candidates.ts'
import { firstAfter, type ReadLine } from './context.ts'
import { KIND, KINDS } from './fold.ts'
import { styleAt } from './look.ts'
import { CODE_LIKE } from './meaning.ts'
import type { Surroundings } from './surroundings.ts'
import { BIT } from './words/concepts.ts'

/** A candidate in its place. */
interface Place {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
}

/** A way in which a number can look like a code without being one. */
export interface Trap {
  readonly reason: string
  readonly points: number
  readonly catches: (place: Place) => boolean
}

const CURRENCY = /[$£¥¢฿៛﷼\u20a0-\u20cf＄￥元円원]/
const DAY = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/
const MASKED = /[*•●∗…]$|[xX]{2}$|\.{2}$/
const MASKED_VALUE = /^[Xx]{2,}\d{2,4}$/
const MEASURE = /^\d+(?:h\d\d|[a-z]{1,2}|MB|GB|KB|TB|PM|AM|th|USD|EUR|GBP|kWh)$/
const NAMING_PREFIX = /^(?:INV|ORD|REF|PO|SO|WO|DO|TKT|CASE|RMA|SKU|ID|NO|BK|RE|FA|CVE|TR|AB|DE)$/
const WORD_AND_NUMBER = /^[a-z]{4,}\d{1,5}$/i

/** The traps that signs and forms tell; what words tell is the label's matter. */
export const TRAPS: readonly Trap[] = [
  { reason: 'a year', points: -4, catches: isYear },
  { reason: 'could be a year', points: -0.8, catches: isYearLike },
  { reason: 'a price', points: -7, catches: isPrice },
  { reason: 'a phone number', points: -7, catches: isPhone },
  { reason: 'a date', points: -4, catches: ({ candidate }) => DAY.test(candidate.value) },
  { reason: 'a length of time', points: -6, catches: isDuration },
  { reason: 'a measure or a time', points: -5, catches: isMeasure },
  { reason: 'the last digits of a card or phone number', points: -6, catches: isMasked },
  { reason: 'a colour', points: -6, catches: isColour },
  { reason: 'behind a number sign', points: -2.5, catches: isNumbered },
  { reason: 'a postal code', points: -4, catches: isPostal },
  { reason: 'a copyright line', points: -6, catches: isCopyright },
  { reason: 'the number of a document', points: -2.5, catches: isDocument },
  { reason: 'a word with a number, as coupons are', points: -2.5, catches: isCoupon },
  { reason: 'in quoted speech', points: -5, catches: isQuoted },
  { reason: 'the text of a link', points: -2, catches: isLinkText },
]

const YEAR = /^(?:19[5-9]\d|20[0-4]\d)$/

function isYear(place: Place): boolean {
  return YEAR.test(place.candidate.value) && !isYearLike(place)
}

/** Codes of four digits are years now and then; then the words must say that it is a code. */
function isYearLike({ candidate, around }: Place): boolean {
  if (!YEAR.test(candidate.value) || around.meaning.points < 3) return false
  return candidate.standsAlone || (around.before.concepts & CODE_LIKE) !== 0
}

function isPrice({ candidate, line, around }: Place): boolean {
  const { text } = line
  const before = lastSign(text, candidate.start)
  const after = nextSign(text, candidate.end)
  if (CURRENCY.test(before) || CURRENCY.test(after)) return true
  return (around.after.concepts & BIT.money) !== 0 && around.after.gap <= 1
}

function isPhone({ candidate, line }: Place): boolean {
  const { value, groups, start, shape } = candidate
  if (shape !== 'digits') return false
  const before = lastSign(line.text, start)
  if (before === '+' || before === ')') return true
  return groups >= 3 && value.length >= 9
}

function isDuration({ candidate, line }: Place): boolean {
  if (candidate.value.length > 5 || candidate.groups > 1) return false
  const next = line.hits[firstAfter(line.hits, candidate.end)]
  return next !== undefined && (next.concepts & BIT.time) !== 0 && next.start <= candidate.end + 1
}

/** `14h35`, `1080p`, `4096MB`. */
function isMeasure({ candidate: { value } }: Place): boolean {
  return MEASURE.test(value)
}

function isMasked({ candidate, line }: Place): boolean {
  if (MASKED_VALUE.test(candidate.value)) return true
  const before = line.text.slice(Math.max(0, candidate.start - 4), candidate.start).trimEnd()
  if (!MASKED.test(before)) return false
  // Stars on both sides are for emphasis.
  return line.text.charAt(candidate.end) !== '*'
}

function isColour({ candidate, line }: Place): boolean {
  const isHex = /^[0-9a-f]{6}$/i.test(candidate.value) && candidate.shape !== 'digits'
  return isHex && line.text.charAt(candidate.start - 1) === '#'
}

function isNumbered({ candidate, line, around }: Place): boolean {
  if (around.meaning.isOtp) return false
  return '#№'.includes(lastSign(line.text, candidate.start) || ' ')
}

/** `CA 94103`, `10119 Berlin`, `〒150-0002`: a place beside a number in a line of an address. */
function isPostal({ candidate, line, around }: Place): boolean {
  const { start, end, shape } = candidate
  if (shape !== 'digits') return false
  const before = line.text.slice(Math.max(0, start - 6), start)
  const after = line.text.slice(end, end + 3)
  if (before.includes('〒')) return true
  if (candidate.standsAlone || around.meaning.points >= 3) return false
  return /[,\s][A-Z]{2} $/.test(before) || (/,\s$/.test(before) && /^ \p{Lu}/u.test(after))
}

function isCopyright({ candidate, line }: Place): boolean {
  return /©|\(c\)/i.test(line.text.slice(Math.max(0, candidate.start - 16), candidate.start))
}

function isDocument({ candidate }: Place): boolean {
  return NAMING_PREFIX.test(candidate.prefix)
}

function isCoupon({ candidate }: Place): boolean {
  if (!WORD_AND_NUMBER.test(candidate.value)) return false
  return /[aeiouy]/i.test(candidate.value)
}

/** `Fakes say "your code is 123456"`: words and number inside one pair of quotation marks. */
function isQuoted({ candidate, line }: Place): boolean {
  const before = line.text.slice(Math.max(0, candidate.start - 60), candidate.start)
  const after = line.text.slice(candidate.end, candidate.end + 40)
  return (
    /["“„«「](?=[^"“”„«»「」]*\p{L})[^"“”„«»「」]*$/u.test(before) &&
    /^[^"“„«「]*["”“»」]/.test(after)
  )
}

function isLinkText({ candidate, line }: Place): boolean {
  // As plain text writes links: `[text](address)`.
  if (line.text.startsWith('](', candidate.end)) return true
  return styleAt(line, candidate.start)?.isLink ?? false
}

/** The sign before a place, past one space. */
function lastSign(text: string, at: number): string {
  const near = text.charAt(at - 1)
  return KINDS[near.charCodeAt(0)] === KIND.space ? text.charAt(at - 2) : near
}

function nextSign(text: string, at: number): string {
  const near = text.charAt(at)
  return KINDS[near.charCodeAt(0)] === KIND.space ? text.charAt(at + 1) : near
}
