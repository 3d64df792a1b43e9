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
  let run: string[] = []
  for (const { text, signs } of lines) {
    const isShort = text.length <= LINE_CHARS_MAX
    if (isShort && !beginsWithWord(text) && SPELT.test(text))
      joined.add(text.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    const part = isShort && mayEndWithPart(text) ? PART.exec(text)?.[1] : undefined
    if (part !== undefined) run.push(part)
    else if (run.length > 0) {
      if (run.length > 1) joined.add(run.join(''))
      run = []
    }
    if ((signs & SIGN.digit) === 0 || amounts.size > AMOUNTS_MAX || !THOUSAND.test(text)) continue
    for (const [amount] of text.matchAll(THOUSANDS)) amounts.add(amount.replaceAll(/\D/g, ''))
  }
  return { joined, amounts }
}

/** Whether the line begins with two letters or digits of ASCII: then it is no single characters. */
function beginsWithWord(text: string): boolean {
  return text.length > 1 && isLetterOrDigit(codeAt(text, 0)) && isLetterOrDigit(codeAt(text, 1))
}

function isLetterOrDigit(code: number): boolean {
  const letter = code | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || isDigit(code)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/**
 * Whether `PART` may match, by the last characters alone: it would try each position of the line as
 * the end of the label. Characters beyond ASCII are left to it.
 */
function mayEndWithPart(text: string): boolean {
  let at = text.length - 1
  while (at >= 0 && codeAt(text, at) === 0x20) at -= 1
  const end = at
  while (at >= 0 && end - at <= PART_CHARS_MAX && isPartSign(codeAt(text, at))) at -= 1
  if (at < 0) return true
  const before = text.charCodeAt(at)
  if (before > 0x7f || before < 0x20) return true
  return at < end && (before === 0x20 || before === 0x3a)
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
