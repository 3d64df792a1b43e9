import { codeAt } from '../text/code-at.ts'
import type { ReadLine } from './mail-reader.ts'
import { SIGN } from './signs.ts'

/** Other ways in which values are written in a mail. */
export interface Repeated {
  /** Last words of adjacent lines, `R`, `6`, `6`, `C`, and single characters, joined. */
  readonly joined: ReadonlySet<string>
  /** Numbers with separators for thousands, without these: `4,820`. */
  readonly amounts: ReadonlySet<string>
}

/** A line that ends with a part of a code, with or without a label. */
const PART = /^(?:\p{L}.{0,40}[\s:：]|\s*)([\p{Lu}\p{Nd}]{1,4})\s*$/u
const PART_CHARS_MAX = 4

/** A letter, what follows it, and a space or a colon. */
const LABEL_CHARS_MAX = 42

const LINE_BREAK = /[\n\r\u2028\u2029]/

/** Longest line with a part or with single characters. */
const LINE_CHARS_MAX = 50

/** A line of single characters: `b j ö r k – 9 1`. */
const SPELT = /^\s*[\p{L}\p{Nd}](?:[\s–—-]+[\p{L}\p{Nd}]){3,11}\s*$/u

const THOUSANDS = /(?<![\d.,'’])\d{1,3}(?:[,.'’]\d{3})+(?![\d.,'’]?\d)/g

/** What each of them contains; few lines do. */
const THOUSAND = /\d[,.'’]\d{3}/

/** Numbers with separators that are read: more are a table. */
const AMOUNTS_MAX = 50

/** Reads how values are written in other ways. */
export function repeatedIn(lines: readonly ReadLine[]): Repeated {
  const joined = new Set<string>()
  const amounts = new Set<string>()
  let run = ''
  let parts = 0
  for (const { text, signs } of lines) {
    const isShort = text.length <= LINE_CHARS_MAX
    if (isShort && !beginsWithWord(text) && SPELT.test(text))
      joined.add(text.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    const part = isShort ? partAtEnd(text) : undefined
    if (part !== undefined) {
      run += part
      parts += 1
    } else if (parts > 0) {
      if (parts > 1) joined.add(run)
      run = ''
      parts = 0
    }
    if ((signs & SIGN.digit) === 0 || amounts.size > AMOUNTS_MAX || !THOUSAND.test(text)) continue
    for (const amount of text.match(THOUSANDS) ?? []) amounts.add(amount.replaceAll(/\D/g, ''))
  }
  return { joined, amounts }
}

/** Whether the line begins with two letters or digits of ASCII: then it is no single characters. */
function beginsWithWord(text: string): boolean {
  return text.length > 1 && isLetterOrDigit(codeAt(text, 0)) && isLetterOrDigit(codeAt(text, 1))
}

function isLetterOrDigit(code: number): boolean {
  return isLetter(code) || isDigit(code)
}

function isLetter(code: number): boolean {
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/**
 * What `PART` matches at the end of a line. Lines that end in ASCII are read backwards: the
 * expression would try each position of the line as the end of the label.
 */
function partAtEnd(text: string): string | undefined {
  let end = text.length
  while (end > 0 && codeAt(text, end - 1) === 0x20) end -= 1
  let start = end
  while (start > 0 && end - start <= PART_CHARS_MAX && isPartSign(codeAt(text, start - 1))) {
    start -= 1
  }
  const before = start > 0 ? codeAt(text, start - 1) : 0x20
  if (before < 0x20 || before > 0x7f) return PART.exec(text)?.[1]
  const isPart = start < end && end - start <= PART_CHARS_MAX
  if (!isPart || (before !== 0x20 && before !== 0x3a)) return undefined
  return isLabel(text, start) ? text.slice(start, end) : undefined
}

/** Whether a line up to a part is a letter and what may follow it, or empty. */
function isLabel(text: string, end: number): boolean {
  if (end === 0) return true
  const first = codeAt(text, 0)
  if (first > 0x7f || first <= 0x20) return PART.test(text)
  return end > 1 && end <= LABEL_CHARS_MAX && isLetter(first) && !LINE_BREAK.test(text)
}

/** A capital or a digit of ASCII. */
function isPartSign(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || isDigit(code)
}

/** Facts by the other ways in which a value is written. */
export function repeatedFacts(value: string, { joined, amounts }: Repeated): readonly string[] {
  const facts: string[] = []
  if (joined.has(value)) facts.push('written in parts as well')
  if (amounts.has(value)) facts.push('written as an amount as well')
  return facts
}
