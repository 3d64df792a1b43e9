import { codeAt } from '../text/code-at.ts'
import { FOLDED, KIND, KINDS, kindAt } from './fold.ts'

/** A run of letters of ASCII and digits of any script, as written. */
export interface Token {
  readonly start: number
  readonly end: number
  /** The characters to type: digits as 0 to 9, letters in their case, no invisible characters. */
  readonly value: string
  readonly digits: number
  readonly upper: number
  readonly lower: number
  /** Adjacent to a letter of another alphabet, so that it is part of a word. */
  readonly isAttached: boolean
}

/** Tokens of one line; a line with more is a table of numbers. */
const TOKENS_MAX = 400

/** Longer ones are data. */
const TOKEN_CHARS_MAX = 64

/** Characters of a URL or email address that are skipped. */
const ADDRESS_CHARS_MAX = 8_192

const QUOTE = 0x22

/** The tokens of a text, without those of URLs and email addresses. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  const { length } = text
  for (let at = 0; at < length && tokens.length < TOKENS_MAX; ) {
    if (!isSign(codeAt(text, at))) {
      at += 1
      continue
    }
    const end = endOfToken(text, at)
    const address = endOfAddress(text, at, end)
    if (address === 0 && end - at <= TOKEN_CHARS_MAX) tokens.push(tokenAt(text, at, end))
    at = Math.max(end, address)
  }
  return tokens
}

function endOfToken(text: string, start: number): number {
  const { length } = text
  let end = start + 1
  for (let at = end; at < length; at += 1) {
    const code = codeAt(text, at)
    if (isSign(code)) end = at + 1
    else if (KINDS[code] !== KIND.nothing) break
  }
  return end
}

function tokenAt(text: string, start: number, end: number): Token {
  const value = typed(text.slice(start, end))
  let digits = 0
  let upper = 0
  for (let at = 0; at < value.length; at += 1) {
    const code = codeAt(value, at)
    if (code <= 0x39) digits += 1
    else if (code <= 0x5a) upper += 1
  }
  const lower = value.length - digits - upper
  const isAttached = kindAt(text, start - 1) === KIND.letter || kindAt(text, end) === KIND.letter
  return { start, end, value, digits, upper, lower, isAttached }
}

/** What is to be typed for a text: digits as 0 to 9, no full width, nothing that is not seen. */
export function typed(raw: string): string {
  if (!/[^\0-\x7f]/.test(raw)) return raw
  let value = ''
  for (let at = 0; at < raw.length; at += 1) {
    const code = codeAt(raw, at)
    if (KINDS[code] !== KIND.nothing) value += String.fromCharCode(signOf(code))
  }
  return value
}

/** Letters of ASCII, also in full width, and all digits. */
function isSign(code: number): boolean {
  if (code < 0x80) return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39)
  return KINDS[code] === KIND.digit || isWide(code)
}

function isWide(code: number): boolean {
  return (code >= 0xff21 && code <= 0xff3a) || (code >= 0xff41 && code <= 0xff5a)
}

function signOf(code: number): number {
  if (code < 0x80) return code
  if (KINDS[code] === KIND.digit) return FOLDED[code] ?? code
  return isWide(code) ? code - 0xfee0 : code
}

/** A letter of ASCII, of either case. */
function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

/** The end of the URL or email address that contains a word; 0 if there is none. */
export function endOfAddress(text: string, start: number, wordEnd: number): number {
  const { length } = text
  const next = wordEnd < length ? codeAt(text, wordEnd) : 0
  const isAddress =
    (next === 0x3a && text.startsWith('//', wordEnd + 1)) ||
    next === 0x40 ||
    (start > 0 && codeAt(text, start - 1) === 0x40) ||
    (next === 0x2e && isHost(text, start, wordEnd))
  if (!isAddress) return 0
  const most = Math.min(length, wordEnd + ADDRESS_CHARS_MAX)
  let end = wordEnd
  while (end < most && isInAddress(codeAt(text, end))) end += 1
  return end
}

/** A letter follows the dot, and the part before it is no group of a code: `A1.B2.C3`. */
function isHost(text: string, start: number, wordEnd: number): boolean {
  if (wordEnd + 1 >= text.length || !isAsciiLetter(codeAt(text, wordEnd + 1))) return false
  return !GROUPS.test(text.slice(start, start + GROUPS_CHARS_MAX))
}

const GROUPS = /^[A-Z\d]{1,4}(?:\.[A-Z\d]{1,4})+(?!\w)/
const GROUPS_CHARS_MAX = 24

/**
 * Languages without spaces continue behind an address: `li@post.example，验证码：395018`; so does
 * JSON: `"li@post.example","otp":"830264"`.
 */
function isInAddress(code: number): boolean {
  if (code < 0x80) return code !== QUOTE && KINDS[code] !== KIND.space
  return KINDS[code] === KIND.letter || KINDS[code] === KIND.prefixing
}
