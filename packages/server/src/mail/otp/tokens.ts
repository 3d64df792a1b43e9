import { FOLDED, KIND, KINDS } from './fold.ts'

/** A run of ASCII letters and digits of any script, as written. */
export interface Token {
  readonly start: number
  readonly end: number
  /** What is typed for it: digits as 0 to 9, letters in their case, nothing that does not show. */
  readonly value: string
  readonly digits: number
  readonly upper: number
  readonly lower: number
  /** A letter of another alphabet touches it, so that it is part of a word. */
  readonly isAttached: boolean
}

/** Tokens read of one line; a line with more of them is a table of figures. */
const TOKENS_MAX = 500

/** In a line longer than this, words in small letters are prose and no part of a code. */
const SHORT_LINE_CHARS = 80

/** Characters between address and blank that are walked through. */
const ADDRESS_CHARS_MAX = 8_192

/** The tokens of a text that may be codes, without those of addresses of the web and of mail. */
export function tokensOf(text: string): readonly Token[] {
  const isLong = text.length > SHORT_LINE_CHARS
  if (isLong && !mayHoldCode(text)) return []
  const tokens: Token[] = []
  for (let at = 0; at < text.length && tokens.length < TOKENS_MAX; ) {
    if (!isSign(text.charCodeAt(at))) {
      at += 1
      continue
    }
    const token = tokenAt(text, at)
    const hasLetters = token.upper + token.lower > 0
    const addressEnd = hasLetters ? endOfAddress(text, at, token.end) : 0
    if (addressEnd === 0 && !(isLong && isProse(text, token))) tokens.push(token)
    at = Math.max(token.end, addressEnd)
  }
  return tokens
}

/** Most paragraphs hold no digit and no two capitals in a row, and no dash that joins words. */
function mayHoldCode(text: string): boolean {
  let wasCapital = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isCapital = code >= 0x41 && code <= 0x5a
    if ((isCapital && wasCapital) || code === 0x2d || KINDS[code] === KIND.digit) return true
    wasCapital = isCapital
  }
  return false
}

function tokenAt(text: string, start: number): Token {
  let end = start
  let digits = 0
  let upper = 0
  let lower = 0
  let isPlain = true
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= 0x80) isPlain = false
    if (KINDS[code] === KIND.nothing) continue
    if (!isSign(code)) break
    const sign = signOf(code)
    if (sign <= 0x39) digits += 1
    else if (sign <= 0x5a) upper += 1
    else lower += 1
  }
  const raw = text.slice(start, end)
  const value = isPlain ? raw : typed(raw)
  const isAttached = isOtherLetter(text, start - 1) || isOtherLetter(text, end)
  return { start, end, value, digits, upper, lower, isAttached }
}

function typed(raw: string): string {
  let value = ''
  for (let at = 0; at < raw.length; at += 1) {
    const code = raw.charCodeAt(at)
    if (KINDS[code] !== KIND.nothing) value += String.fromCharCode(signOf(code))
  }
  return value
}

function isProse(text: string, { digits, lower, start, end }: Token): boolean {
  return digits === 0 && lower > 0 && text.charAt(start - 1) !== '-' && text.charAt(end) !== '-'
}

/** Letters of ASCII, also in full width, and all digits. */
function isSign(code: number): boolean {
  if (code < 0x80) return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39)
  const isWide = code >= 0xff21 && code <= 0xff5a
  return KINDS[code] === KIND.digit || (isWide && KINDS[code] === KIND.letter)
}

function signOf(code: number): number {
  if (KINDS[code] === KIND.digit) return FOLDED[code] ?? code
  return code >= 0xff21 ? code - 0xfee0 : code
}

function isOtherLetter(text: string, at: number): boolean {
  return at >= 0 && at < text.length && KINDS[text.charCodeAt(at)] === KIND.letter
}

/** Where the address of the web or of mail ends that a word begins or lies in; 0 for none. */
export function endOfAddress(text: string, start: number, wordEnd: number): number {
  const next = text.charCodeAt(wordEnd)
  const isAddress =
    (next === 0x3a && text.startsWith('//', wordEnd + 1)) ||
    next === 0x40 ||
    (start > 0 && text.charCodeAt(start - 1) === 0x40) ||
    (next === 0x2e && isAsciiLetter(text.charCodeAt(wordEnd + 1)))
  if (!isAddress) return 0
  const most = Math.min(text.length, wordEnd + ADDRESS_CHARS_MAX)
  let end = wordEnd
  while (end < most && KINDS[text.charCodeAt(end)] !== KIND.space) end += 1
  return end
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}
