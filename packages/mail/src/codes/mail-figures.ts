import { codeAt } from '../text/code-at.ts'
import type { ReadLine } from './mail-reader.ts'
import { SIGN } from './signs.ts'
import { isAsciiLetter } from './tokens.ts'
import { BIT } from './words/concepts.ts'

/** What the numbers of a mail tell about it, in any language. */
export interface MailFigures {
  /** Different amounts, with cents or a currency: `418,60`, `30.000đ`. */
  readonly amounts: number
  /** The last digits of a card: `**** 7719`. */
  readonly hasMasked: boolean
  /** A time as codes are valid: 5, 10, 15, 20 or 30 minutes. */
  readonly hasMinutes: boolean
  /** Lines of the form `label: value` with a number in the value. */
  readonly labelled: number
  /** A field that a program fills in: `{{minutes}}`. */
  readonly hasPlaceholder: boolean
  /** Numbers of two digits and more in prices and percentages. */
  readonly offered: ReadonlySet<string>
}

// Each repetition has a bound or a start of its own: a line may be made of these characters alone.

const AMOUNT = /(?<![\d.,:/-])\d{1,3}(?:[ .,'’\u00a0]?\d{3}){0,4}[.,]\d\d(?![\d.,:/-]|\s?%)/g

/** A number beside the sign of a currency: `$12`, `30.000đ`, `1 280 kr`. */
const PRICE =
  /[$€£¥₹₽₺₫₩₪₴₦฿₸₱₾]\s?\d[\d., ]{0,20}|(?<![\d.,])\d[\d.,]{0,20}\s?(?:[€£¥₹₽₺₫₩₪₴₦฿₸₱₾元円원đ]|(?:kr|zł|Kč|Ft|TL|lei|руб|грн|лв|din|KM)(?!\p{L}))/gu

// What each amount and each price contains: most lines with a digit have neither.
const HAS_AMOUNT = /\d[.,]\d\d/
const HAS_PRICE = /[$€£¥₹₽₺₫₩₪₴₦฿₸₱₾]|[\d.,]\s?(?:[元円원đ]|kr|zł|Kč|Ft|TL|lei|руб|грн|лв|din|KM)/

const MASKED = /[*•●·xX]{2}[\s-]?\d{3,4}(?!\w|\s?[*\d])/
const LABELLED = /^[^:：]{2,40}[:：]\s*\S{0,24}\d\S{0,24}(?:\s\S+){0,4}$/
const PAIR = /\p{L}{2}[:：] ?[^\s:：]{0,24}\d/gu
const PLACEHOLDER =
  /\{\{\s?[\p{L}\w.]{1,40}\s?\}\}|[$#]\{[\p{L}\w.]{1,40}\}|%\{?[a-z_]{2,40}\}?%|<%=/u

const PERCENT = /(?<!\d)(\d\d)\s?[%％٪]|[%％٪]\s?(\d\d)(?!\d)/g
const MINUTES = /(?:^|\D)(?:5|10|15|20|30)\D{0,2}$/

/** A word for days, months or years: goods can be returned for 30 days. */
const DAYS =
  /^(?:月|年|월|년|day|tag|jour|d[ií]a|giorn|dag|dn|dien|den|ден|дн|дан|gün|日|天|일|ngày|วัน|hari|يوم|أيام|ימים|יום|روز|दिन|দিন|nap|päiv|zil|ημέρ|siku)/iu

/** Amounts that are counted: more do not tell more. */
const AMOUNTS_MAX = 3

/** Characters between a number and the word for time behind it, with the number. */
const MINUTES_CHARS = 5

/** Reads the numbers of a mail. */
export function figuresOf(lines: readonly ReadLine[]): MailFigures {
  const amounts = new Set<string>()
  let hasMasked = false
  let hasMinutes = false
  let hasPlaceholder = false
  const labelled = new Set<string>()
  const offered = new Set<string>()
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    const { text, signs } = line
    if ((signs & SIGN.digit) === 0) continue
    // An equal line tells nothing more but by the cell beside it.
    if (line.first === index) {
      if (amounts.size < AMOUNTS_MAX) addAmounts(line, amounts, offered)
      hasPlaceholder ||= (signs & (SIGN.brace | SIGN.percent)) !== 0 && PLACEHOLDER.test(text)
      hasMasked ||= (signs & SIGN.mask) !== 0 && MASKED.test(text)
      hasMinutes ||= isOfMinutes(line)
    }
    const label = lines[index - 1]
    if (label !== undefined && isLabelCell(label, line)) labelled.add(`${label.text}: ${text}`)
    else if ((signs & SIGN.colon) !== 0) addLabelled(text, labelled)
  }
  for (const amount of amounts) {
    if (/^\d{2,4}$/.test(amount)) offered.add(amount)
  }
  return {
    amounts: amounts.size,
    hasMasked,
    hasMinutes,
    labelled: labelled.size,
    hasPlaceholder,
    offered,
  }
}

function addAmounts({ text, signs }: ReadLine, amounts: Set<string>, offered: Set<string>): void {
  if (HAS_PRICE.test(text)) {
    for (const price of text.match(PRICE) ?? []) amounts.add(price.replace(/\D+$|^\D+/g, ''))
  }
  if ((signs & (SIGN.percent | SIGN.foreign)) !== 0) {
    for (const [, before, after] of text.matchAll(PERCENT)) offered.add(before ?? after ?? '')
  }
  if (HAS_AMOUNT.test(text)) {
    for (const amount of text.match(AMOUNT) ?? []) amounts.add(amount)
  }
}

function addLabelled(text: string, labelled: Set<string>): void {
  if (isLabelled(text)) labelled.add(text)
  else if (mayHavePair(text)) for (const pair of text.match(PAIR) ?? []) labelled.add(pair)
}

/** Whether a colon may follow a letter; most colons with digits beside them are those of times. */
function mayHavePair(text: string): boolean {
  for (let at = text.indexOf(':', 1); at >= 0; at = text.indexOf(':', at + 1)) {
    const before = codeAt(text, at - 1)
    if (isAsciiLetter(before) || before > 0x7f) return true
  }
  return text.includes('：')
}

/** Characters of a value in a cell beside its label. */
const CELL_CHARS_MAX = 40

/** Whether the first line is a cell, and the second the value in the cell to its right. */
function isLabelCell({ cell, text }: ReadLine, value: ReadLine): boolean {
  if (cell === null || value.cell === null || value.text.length > CELL_CHARS_MAX) return false
  return (
    cell.row === value.cell.row &&
    cell.column === value.cell.column - 1 &&
    text.length <= CELL_CHARS_MAX
  )
}

/** Whether a line has the last digits of a card. */
export function isMaskedIn(text: string): boolean {
  return MASKED.test(text)
}

/** A label and a value with a number. */
export function isLabelled(text: string): boolean {
  return text.length <= 90 && LABELLED.test(text)
}

function isOfMinutes({ text, hits, concepts: all }: ReadLine): boolean {
  if ((all & BIT.time) === 0) return false
  return hits.some(
    ({ start, concepts }) =>
      (concepts & BIT.time) !== 0 &&
      !DAYS.test(text.slice(start, start + MINUTES_CHARS)) &&
      MINUTES.test(text.slice(Math.max(0, start - MINUTES_CHARS), start)),
  )
}
