import { CODE_LIKE, isLoneYear } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import { styleAt } from './findings.ts'
import { KIND, kindAt } from './fold.ts'
import type { ReadLine } from './mail-reader.ts'
import type { Surroundings } from './surroundings.ts'
import { followsColon } from './tokens.ts'
import { BIT } from './words/concepts.ts'
import { LIKE_AMOUNT, LIKE_TIME } from './written-forms.ts'

/** A candidate with its line and surroundings. */
interface PlacedCandidate {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
}

/** A rule for something that looks like a code but is not. */
export interface Trap {
  readonly reason: string
  readonly matches: (place: PlacedCandidate) => boolean
}

const CURRENCY = /[$£¥¢฿៛﷼\u20a0-\u20cf＄￥元円원]/
const DAY = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/
const MASKED = /[*•●∗…]-?$|[xX]{2}-?$|(?<!\.)\.{2,3}$/
const MASKED_VALUE = /^[Xx]{2,}\d{2,4}$/
const MEASURE = /^\d+(?:h\d\d|[a-z]{1,2}|MB|GB|KB|TB|PM|AM|th|USD|EUR|GBP|kWh)$/
const NAMING_PREFIX = /^(?:INV|ORD|REF|PO|SO|WO|DO|TKT|CASE|RMA|SKU|ID|NO|BK|RE|FA|CVE|TR|AB|DE)$/
/** Codes of places in Canada and Great Britain: `G5L 1A1`, `OX2 9DG`. */
const POSTAL_GROUPS = /^[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{1,2}\d?$/

const WORD_AND_NUMBER = /^(?:[a-z]{4,}\d|[a-z]{3}(?:20\d\d|\d\d)$)/i

/** The reason against a value of JSON. */
export const FIELD = 'a field of JSON'

/** Rules by characters and form. Words are handled by the label. */
export const TRAPS: readonly Trap[] = [
  { reason: 'a year', matches: isYear },
  { reason: 'could be a year', matches: isYearLike },
  { reason: 'a price', matches: isPrice },
  { reason: 'a phone number', matches: isPhone },
  { reason: 'a date', matches: isDay },
  { reason: 'could be a date', matches: isDayLike },
  { reason: 'a length of time', matches: isDuration },
  { reason: 'a measure or a time', matches: isMeasure },
  { reason: 'the last digits of a card or phone number', matches: isMasked },
  { reason: 'an amount or a time by its form', matches: isAmountOrTime },
  { reason: 'a colour', matches: isColour },
  { reason: 'behind a number sign', matches: isNumbered },
  { reason: 'a postal code', matches: isPostal },
  { reason: 'a copyright line', matches: isCopyright },
  { reason: 'the number of a document', matches: isDocument },
  { reason: 'a word with a number, as coupons are', matches: isCoupon },
  { reason: 'in quoted speech', matches: isQuoted },
  { reason: 'in a quoted mail', matches: isReplied },
  { reason: FIELD, matches: isField },
  { reason: 'the text of a link', matches: isLinkText },
]

const YEAR = /^(?:19[5-9]\d|20[0-4]\d)$/

/** Years of other calendars, in lines with letters of a script that uses them. */
const OTHER_YEARS: readonly (readonly [RegExp, RegExp])[] = [
  [/^25[5-8]\d$/, /[\u0e00-\u0eff\u1780-\u17ff]/],
  [/^1[34]\d\d$/, /[\u0600-\u06ff]/],
  [/^20[5-9]\d$/, /[\u0900-\u097f]/],
]

function isYearOf(value: string, text: string): boolean {
  if (value.length !== 4) return false
  if (YEAR.test(value)) return true
  return OTHER_YEARS.some(([year, script]) => year.test(value) && script.test(text))
}

function isYear(place: PlacedCandidate): boolean {
  return isYearOf(place.candidate.value, place.line.text) && !isYearLike(place)
}

/** A code of four digits may look like a year; then a label must say that it is a code. */
function isYearLike({ candidate, line, around }: PlacedCandidate): boolean {
  if (!isYearOf(candidate.value, line.text)) return false
  if (around.meaning.points < 3) return isAsked(candidate, line, around)
  if (candidate.standsAlone) return true
  if ((around.before.concepts & CODE_LIKE) === 0) return false
  // `key in approval code 2046 at the terminal`
  return around.before.gap <= 1 || isLoneYear(line.text, candidate)
}

/** `Enter these four digits: 1984`. */
function isAsked(
  { start, end }: Candidate,
  { text }: ReadLine,
  { meaning }: Surroundings,
): boolean {
  return meaning.isAsked === true && followsColon(text, start) && end >= text.length - 1
}

function isDay(place: PlacedCandidate): boolean {
  return DAY.test(place.candidate.value) && !isDayLike(place)
}

/** A code of eight digits may look like a date; then a label must call it a code. */
function isDayLike({ candidate, line, around }: PlacedCandidate): boolean {
  const isLabelled =
    (around.before.concepts & CODE_LIKE) !== 0 && followsColon(line.text, candidate.start)
  const isNamed = candidate.standsAlone || isLabelled
  return DAY.test(candidate.value) && isNamed && around.meaning.points >= 3
}

function isPrice({ candidate, line, around }: PlacedCandidate): boolean {
  const { text } = line
  const before = lastSign(text, candidate.start)
  const after = nextSign(text, candidate.end)
  if (CURRENCY.test(before) || CURRENCY.test(after)) return true
  return (around.after.concepts & BIT.money) !== 0 && around.after.gap <= 1
}

function isPhone({ candidate, line }: PlacedCandidate): boolean {
  const { value, groups, start, shape } = candidate
  if (shape !== 'digits') return false
  const before = lastSign(line.text, start)
  if (before === '+' || AREA_CODE.test(line.text.slice(Math.max(0, start - 10), start))) return true
  return groups >= 3 && value.length >= 9
}

/** `(555) 0142`; the word in `(OTP) 482913` is no area code. */
const AREA_CODE = /\(\+?[\d ]{1,6}\)\s?$/

function isDuration({ candidate, line }: PlacedCandidate): boolean {
  if (candidate.value.length > 5 || candidate.groups > 1) return false
  const next = line.hits[firstAfter(line.hits, candidate.end)]
  return next !== undefined && (next.concepts & BIT.time) !== 0 && next.start <= candidate.end + 1
}

/** Units behind a number: `912347 KiB`. */
const UNIT = /^\s?(?:[KMGT]i?B|kWh|km|kg|ms)(?!\p{L})/u

/** `14h35`, `1080p`, `4096MB`. */
function isMeasure({ candidate: { value, end }, line }: PlacedCandidate): boolean {
  return MEASURE.test(value) || UNIT.test(line.text.slice(end, end + 6))
}

/** `60.731`, `20:25:07`; a label may say that it is a code. */
function isAmountOrTime({ candidate: { start, end }, line, around }: PlacedCandidate): boolean {
  if (end - start > 8) return false
  const written = line.text.slice(start, end)
  return around.meaning.points < 3 && (LIKE_AMOUNT.test(written) || LIKE_TIME.test(written))
}

function isMasked({ candidate, line, around }: PlacedCandidate): boolean {
  if (MASKED_VALUE.test(candidate.value)) return true
  // `Login code ... 482913`
  const isNamed = (around.before.concepts & CODE_LIKE) !== 0
  if (isNamed && / \.{2,3} $/.test(line.text.slice(0, candidate.start))) return false
  const before = line.text.slice(Math.max(0, candidate.start - 6), candidate.start).trimEnd()
  if (!MASKED.test(before)) return false
  // Asterisks on both sides are emphasis.
  return !line.text
    .slice(candidate.end, candidate.end + 3)
    .trimStart()
    .startsWith('*')
}

function isColour({ candidate, line }: PlacedCandidate): boolean {
  const isHex = /^[0-9a-f]{6}$/i.test(candidate.value) && candidate.shape !== 'digits'
  return isHex && line.text.charAt(candidate.start - 1) === '#'
}

/** Characters between a name and its number with a sign. */
const NUMBER_SIGN_CHARS_MAX = 4

function isNumbered({ candidate, line, around }: PlacedCandidate): boolean {
  // `@example.com #482913`, `login code #482913`
  const { concepts, gap } = around.before
  const isNext = (concepts & CODE_LIKE) !== 0 && gap <= NUMBER_SIGN_CHARS_MAX
  if (around.meaning.isOtp && (concepts === 0 || isNext)) return false
  return '#№'.includes(lastSign(line.text, candidate.start) || ' ')
}

/** `CA 94103`, `10119 Berlin`, `〒150-0002`: part of a postal address. */
function isPostal({ candidate, line, around }: PlacedCandidate): boolean {
  const { start, end, shape } = candidate
  if (shape === 'mixed') {
    const isNamed = candidate.standsAlone || around.meaning.points >= 3
    return !isNamed && POSTAL_GROUPS.test(line.text.slice(start, end))
  }
  if (shape !== 'digits') return false
  const before = line.text.slice(Math.max(0, start - 6), start)
  const after = line.text.slice(end, end + 3)
  if (before.includes('〒')) return true
  if (candidate.standsAlone || around.meaning.points >= 3) return false
  return /[,\s][A-Z]{2} $/.test(before) || (/,\s$/.test(before) && /^ \p{Lu}/u.test(after))
}

function isCopyright({ candidate, line }: PlacedCandidate): boolean {
  return /©|\(c\)/i.test(line.text.slice(Math.max(0, candidate.start - 16), candidate.start))
}

function isDocument({ candidate }: PlacedCandidate): boolean {
  return NAMING_PREFIX.test(candidate.prefix)
}

function isCoupon({ candidate }: PlacedCandidate): boolean {
  if (!WORD_AND_NUMBER.test(candidate.value)) return false
  return /[aeiouy]/i.test(candidate.value)
}

/** `Scammers write "your code is 123456"`: words and number inside quotation marks. */
function isQuoted({ candidate, line }: PlacedCandidate): boolean {
  const before = line.text.slice(Math.max(0, candidate.start - 60), candidate.start)
  const after = line.text.slice(candidate.end, candidate.end + 40)
  return (
    /["“„«「](?=[^"“”„«»「」]*\p{L})[^"“”„«»「」]*$/u.test(before) &&
    /^[^"“„«「]*["”“»」]/.test(after)
  )
}

/** A line of the mail that this one answers. */
function isReplied({ line }: PlacedCandidate): boolean {
  // Between `>>>` and `<<<` a code is emphasised.
  const { source, text } = line
  return source !== 'subject' && text.startsWith('>') && !text.endsWith('<')
}

/** `"code": "482913"`. */
function isField({ candidate: { start, end }, line: { text } }: PlacedCandidate): boolean {
  return (
    /"\s*:\s*"?$/.test(text.slice(Math.max(0, start - 6), start)) &&
    /^[",}\s]/.test(text.charAt(end))
  )
}

function isLinkText({ candidate, line }: PlacedCandidate): boolean {
  // A Markdown link: `[text](address)`.
  if (line.text.startsWith('](', candidate.end)) return true
  return styleAt(line, candidate.start)?.isLink ?? false
}

/** The character before a position, ignoring one space. */
function lastSign(text: string, at: number): string {
  return text.charAt(kindAt(text, at - 1) === KIND.space ? at - 2 : at - 1)
}

function nextSign(text: string, at: number): string {
  return text.charAt(kindAt(text, at) === KIND.space ? at + 1 : at)
}
