import { codeAt } from '../text/code-at.ts'
import { FOLDED, KIND, KINDS, kindAt } from './fold.ts'

/** A run of ASCII letters and digits of any script, as written. */
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

const DASH = 0x2d

/** Tokens of one line; a line with more is a table of numbers. */
const TOKENS_MAX = 500

/** Longest line that may be a code made of words. */
const SHORT_LINE_CHARS = 80

/** Characters of a URL or email address that are skipped. */
const ADDRESS_CHARS_MAX = 8_192

/** The tokens of a text that may be codes, without those of URLs and email addresses. */
export function tokensOf(text: string): readonly Token[] {
  const held = holdsCode(text)
  if (held === 'no') return []
  const tokens: Token[] = []
  // Encoded data: nothing in the line is short enough for a code.
  let isLong = true
  const { length } = text
  for (let at = 0; at < length && tokens.length < TOKENS_MAX; ) {
    if (!isSign(codeAt(text, at))) {
      at += 1
      continue
    }
    const proseEnd = held === 'words' ? 0 : endOfProse(text, at)
    if (proseEnd > 0) {
      at = Math.max(proseEnd, endOfAddress(text, at, proseEnd))
      continue
    }
    const token = tokenAt(text, at)
    const hasLetters = token.upper + token.lower > 0
    const addressEnd = hasLetters ? endOfAddress(text, at, token.end) : 0
    if (addressEnd === 0) tokens.push(token)
    if (token.end - token.start <= COUNTED_CHARS_MAX) isLong = false
    at = Math.max(token.end, addressEnd)
  }
  return isLong ? [] : tokens
}

/**
 * A quick check that excludes most lines: those without a digit, two adjacent capitals, a capital
 * after a lower-case letter or a dash after a colon, that are not all in lower case.
 */
function holdsCode(text: string): 'no' | 'signs' | 'words' {
  const { length } = text
  let isSmall = length <= SHORT_LINE_CHARS
  let wasLetter = false
  let hasColon = false
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    const isUpper = code >= 0x41 && code <= 0x5a
    const isLower = isSmallLetter(code)
    if (isUpper && wasLetter) return 'signs'
    wasLetter = isUpper || isLower
    if (isLower) continue
    const kind = KINDS[code]
    if (kind === KIND.digit) return isSmall ? 'words' : 'signs'
    if (code === DASH && hasColon) return 'signs'
    if (code === 0x3a || code === 0xff1a) hasColon = true
    if (kind !== KIND.space && code !== DASH) isSmall = false
  }
  return isSmall ? 'words' : 'no'
}

/** The end of an ordinary word, `code` or `Code`, that is not joined to another; 0 for others. */
function endOfProse(text: string, start: number): number {
  if (start > 0 && codeAt(text, start - 1) === DASH) return 0
  if (followsColon(text, start)) return 0
  const { length } = text
  const first = codeAt(text, start)
  let at = start
  if (first >= 0x41 && first <= 0x5a) at += 1
  const smallFrom = at
  while (at < length && isSmallLetter(codeAt(text, at))) at += 1
  if (at === smallFrom) return 0
  if (at === length) return at
  const next = codeAt(text, at)
  return next === DASH || isSign(next) || KINDS[next] === KIND.nothing ? 0 : at
}

/** Whether a colon or a similar character precedes a position. */
export function followsColon(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && KINDS[codeAt(text, at)] === KIND.space) at -= 1
  if (at < 0) return false
  const code = codeAt(text, at)
  // Nearly always a letter or a comma.
  if (isAsciiLetter(code) || code === 0x2c) return false
  return ':：=՝፦'.includes(text.charAt(at)) || isLeader(text, at)
}

/** The last of a row of dots, which lead from a label to its value: `CODE ....... 482913`. */
export function isLeader(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x2e && text.startsWith('...', at - 3)
}

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

/** ASCII letters and digits: an expression skips long data faster than a loop. */
const PLAIN_SIGNS = /[0-9A-Za-z]+/y

/** Longest token whose characters are counted; a code is far shorter. */
const COUNTED_CHARS_MAX = 64

function tokenAt(text: string, start: number): Token {
  let end = start
  let digits = 0
  let upper = 0
  let lower = 0
  let isPlain = true
  const dataEnd = endOfData(text, start)
  if (dataEnd > 0) {
    // Neither a number nor a word, whatever it is made of.
    end = dataEnd
    upper = 1
    lower = end - start - 1
  }
  const { length } = text
  for (; end < length; end += 1) {
    let code = codeAt(text, end)
    if (!isPlainSign(code)) {
      if (code >= 0x80) isPlain = false
      if (KINDS[code] === KIND.nothing) continue
      if (!isSign(code)) break
      code = signOf(code)
    }
    if (code <= 0x39) digits += 1
    else if (code <= 0x5a) upper += 1
    else lower += 1
  }
  const raw = text.slice(start, end)
  const value = isPlain ? raw : typed(raw)
  const isAttached = isOtherLetter(text, start - 1) || isOtherLetter(text, end)
  return { start, end, value, digits, upper, lower, isAttached }
}

/** The end of more letters and digits than are counted; 0 if there are fewer. */
function endOfData(text: string, start: number): number {
  const last = start + COUNTED_CHARS_MAX
  if (last >= text.length || !isPlainSign(codeAt(text, last))) return 0
  PLAIN_SIGNS.lastIndex = start
  return PLAIN_SIGNS.test(text) && PLAIN_SIGNS.lastIndex > last ? PLAIN_SIGNS.lastIndex : 0
}

function typed(raw: string): string {
  let value = ''
  for (let at = 0; at < raw.length; at += 1) {
    const code = codeAt(raw, at)
    if (KINDS[code] !== KIND.nothing) value += String.fromCharCode(signOf(code))
  }
  return value
}

/** Letters of ASCII, also in full width, and all digits. */
function isSign(code: number): boolean {
  if (code < 0x80) return isPlainSign(code)
  const isWide = code >= 0xff21 && code <= 0xff5a
  return KINDS[code] === KIND.digit || (isWide && KINDS[code] === KIND.letter)
}

/** ASCII, checked without a table: nearly all characters. */
function isPlainSign(code: number): boolean {
  return isAsciiLetter(code) || (code >= 0x30 && code <= 0x39)
}

function signOf(code: number): number {
  if (KINDS[code] === KIND.digit) return FOLDED[code] ?? code
  return code >= 0xff21 ? code - 0xfee0 : code
}

function isOtherLetter(text: string, at: number): boolean {
  return kindAt(text, at) === KIND.letter
}

/** The end of the URL or email address that contains a word; 0 if there is none. */
export function endOfAddress(text: string, start: number, wordEnd: number): number {
  const { length } = text
  const next = wordEnd < length ? codeAt(text, wordEnd) : 0
  const isAddress =
    (next === 0x3a && text.startsWith('//', wordEnd + 1)) ||
    next === 0x40 ||
    (start > 0 && codeAt(text, start - 1) === 0x40) ||
    (next === 0x2e && wordEnd + 1 < length && isAsciiLetter(codeAt(text, wordEnd + 1)))
  if (!isAddress) return 0
  const most = Math.min(length, wordEnd + ADDRESS_CHARS_MAX)
  let end = wordEnd
  while (end < most && isInAddress(codeAt(text, end))) end += 1
  return end
}

/** Languages without spaces continue behind an address: `li@post.example，验证码：395018`. */
function isInAddress(code: number): boolean {
  if (code < 0x80) return KINDS[code] !== KIND.space
  return KINDS[code] === KIND.letter || KINDS[code] === KIND.prefixing
}

/** A letter of ASCII, of either case. */
export function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}
