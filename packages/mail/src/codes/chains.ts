import { KIND, KINDS, kindAt } from './fold.ts'
import type { Token } from './tokens.ts'

/** Adjacent tokens that may be one code, or one longer number. */
export interface Chain {
  readonly tokens: readonly Token[]
  /** `-` or a space; empty for a single token. */
  readonly separator: string
}

/** White space between the parts of a code: `1 2 3 4` may be spaced wide. */
const GAP_CHARS_MAX = 3

/** Characters that join a number, a name or an address when something follows them. */
const SIGNS_INSIDE = ".,:/\\_@'’%=٬٫"

/** Digits of a code that is written with spaces. */
const SPACED_DIGITS_MAX = 10

/** Groups tokens into chains, without those that are part of something longer. */
export function chainsOf(text: string, tokens: readonly Token[]): readonly Chain[] {
  const chains: Chain[] = []
  for (let at = 0; at < tokens.length; ) {
    if (isPrefix(text, tokens, at)) at += 1
    const chain = chainAt(text, tokens, at)
    at += chain.tokens.length
    const isWhole = !isPartOfMore(text, chain.tokens) && !beginsAccount(chain, tokens[at])
    if (!isWhole) continue
    if (chain.tokens.length === 1) chains.push(chain)
    else chains.push(...piecesOf(chain))
  }
  return chains
}

/** `G-` in `G-551 278`: the field takes the digits alone. */
function isPrefix(text: string, tokens: readonly Token[], at: number): boolean {
  const letters = tokens[at]
  const one = tokens[at + 1]
  const other = tokens[at + 2]
  if (letters === undefined || one === undefined || other === undefined) return false
  const isLetters = letters.upper === letters.value.length && letters.upper <= 2
  if (!isLetters || text.slice(letters.end, one.start) !== '-') return false
  const isEven = one.value.length === other.value.length && one.value.length >= 3
  const areDigits = one.digits === one.value.length && other.digits === other.value.length
  return areDigits && isEven && separatorOf(text, one, other) === ' '
}

function chainAt(text: string, tokens: readonly Token[], start: number): Chain {
  const first = tokens[start]
  if (first === undefined) return { tokens: [], separator: '' }
  const members = [first]
  let separator = ''
  let last = first
  for (let at = start + 1; at < tokens.length; at += 1) {
    const next = tokens[at]
    if (next === undefined) break
    const between = separatorOf(text, last, next)
    if (between === '' || (separator !== '' && between !== separator)) break
    const isWide = between === ' ' || next.start - last.end > 1
    if (isWide && !goTogether(last, next) && !areLine(text, last, next)) break
    separator = between
    members.push(next)
    last = next
  }
  return { tokens: members, separator }
}

/**
 * Tokens with a space between belong together only if both are numbers, both are words, or both
 * are short and mix capitals with digits: `G4W 9KP`.
 */
function goTogether(one: Token, other: Token): boolean {
  if (isShortMix(one) && isShortMix(other)) return one.value.length === other.value.length
  if (isPair(one) && isPair(other)) return true
  // `A 3 V 9`
  if (one.value.length === 1 && other.value.length === 1) return one.lower + other.lower === 0
  const areDigits = one.digits === one.value.length && other.digits === other.value.length
  const areWords = isLowerWord(one) && isLowerWord(other)
  return areDigits || areWords
}

/** `M3XH 81` in a line of its own. */
function areLine(text: string, one: Token, other: Token): boolean {
  if (!(isShortMix(one) || isShortMix(other)) || one.lower + other.lower > 0) return false
  return text.trim() === text.slice(one.start, other.end) && other.value.length <= 4
}

/** `24h`, `2nd`. */
const MEASURE = /^\d+(?:[a-z]|st|nd|rd|th|er|[km]m|kg|cm|ml|[kmg]b|p[xt]|[ap]m|min)$/

function isShortMix({ digits, upper, lower, value }: Token): boolean {
  if (digits === 0 || digits === value.length || (upper > 0 && lower > 0)) return false
  if (MEASURE.test(value)) return false
  return value.length >= 3 && value.length <= 4
}

/** `HX`, `40` and `2R` in `HX 40 2R`. */
function isPair({ lower, value }: Token): boolean {
  return lower === 0 && value.length === 2
}

function isLowerWord({ lower, value }: Token): boolean {
  return lower === value.length && value.length >= 3
}

function separatorOf(text: string, one: Token, other: Token): string {
  const between = text.slice(one.end, other.start)
  if (between.length > GAP_CHARS_MAX) return ''
  if (between === '.') return isDotted(one, other) ? '.' : ''
  if (DIVIDERS.test(between)) return isDivided(text, one, other) ? '-' : ''
  let dash = ''
  for (let at = 0; at < between.length; at += 1) {
    const code = between.charCodeAt(at)
    if (KINDS[code] === KIND.space) continue
    if (!isDash(code) || dash !== '') return ''
    dash = '-'
  }
  return dash || ' '
}

/** Signs that divide a code, and more often other things. */
const DIVIDERS = /^\s?[·•∙‧|_]\s?$/

/** A line of capitals and digits with such signs, as `83 | 02 | 57`. */
const DIVIDED_LINE = /^[\dA-Z\s·•∙‧|_]{3,40}$/

/** `482·913`, `482 · 913`, `4 | 8 | 2 | 9`; others with spaces must be all of their line. */
function isDivided(text: string, one: Token, other: Token): boolean {
  const { length } = one.value
  if (length > 4 || other.value.length !== length || one.lower + other.lower > 0) return false
  if (length === 1 || length === 3 || other.start - one.end === 1) return true
  return DIVIDED_LINE.test(text)
}

/** `285.617`, `12.99.50`, `4.8.2.9.1.3`: groups of equal length. */
function isDotted(one: Token, other: Token): boolean {
  const { length } = one.value
  if (length > 4 || other.value.length !== length) return false
  return one.digits === length && other.digits === length
}

function isDash(code: number): boolean {
  return code === 0x2d || (code >= 0x2010 && code <= 0x2015) || code === 0x2212 || code === 0xff0d
}

/**
 * A chain of numbers with spaces is split if their lengths differ: in `123456 10` the second number
 * is something else. Numbers with dashes are not split.
 */
function piecesOf(chain: Chain): readonly Chain[] {
  const { tokens, separator } = chain
  if (tokens.length === 1 || separator !== ' ') return [chain]
  if (tokens.every(isLowerWord) || tokens.every(isShortMix)) return [chain]
  if (tokens.some(({ upper }) => upper > 0) && tokens.every(isPair)) {
    const isMixed = tokens.some(({ digits }) => digits === 1)
    return isMixed && tokens.length >= 3 ? [chain] : singles(tokens)
  }
  const lengths = tokens.map((token) => token.value.length)
  const length = lengths.reduce((sum, one) => sum + one, 0)
  if (tokens.length > 2 && length > SPACED_DIGITS_MAX) return []
  const spread = Math.max(...lengths) - Math.min(...lengths)
  const isShort = Math.max(...lengths) <= 4 && Math.min(...lengths) >= 2
  const isTwo = isShort && length >= 5 && length <= 8 && tokens.length === 2
  // `7 715 024`
  const isThousands = lengths.join() === '1,3,3'
  if (spread <= 1 || isTwo || isThousands || endsShorter(lengths)) return [chain]
  return singles(tokens)
}

function singles(tokens: readonly Token[]): readonly Chain[] {
  return tokens.map((token) => ({ tokens: [token], separator: '' }))
}

/** `4417 0952 63`: groups of one length, the last shorter. */
export function endsShorter(lengths: readonly number[]): boolean {
  const [first = 0] = lengths
  const last = lengths.at(-1) ?? 0
  const isEven = lengths.slice(0, -1).every((length) => length === first)
  return lengths.length >= 3 && isEven && first >= 3 && last < first
}

/** `DE89 3704 …`: the country, check digits and first group of an IBAN. */
function beginsAccount({ tokens: [first] }: Chain, next: Token | undefined): boolean {
  if (first === undefined || next === undefined || !/^[A-Z]{2}\d\d$/.test(first.value)) return false
  return next.start === first.end + 1 && next.value.length === 4
}

/** Part of a decimal, date, time, version, IP address or path, which continues before or after. */
function isPartOfMore(text: string, tokens: readonly Token[]): boolean {
  const first = tokens[0]
  const last = tokens.at(-1)
  if (first === undefined || last === undefined) return true
  return continuesAt(text, first.start - 1, -1) || continuesAt(text, last.end, 1)
}

/** A number of up to two digits with a Chinese or Japanese word behind it. */
const COUNT = /^\d{1,2}\s?[\u3400-\u9fff]/

/** Letters between slashes before a number. */
const PATH = /^\/\p{L}{1,6}\/\d/u

function continuesAt(text: string, at: number, step: 1 | -1): boolean {
  const sign = text.charAt(at)
  if (sign === '' || !SIGNS_INSIDE.includes(sign)) return false
  if (sign === '%' || sign === '@' || sign === '\\') return true
  // `839201,5分钟`: a comma of a sentence without spaces.
  if (sign === ',' && step > 0 && COUNT.test(text.slice(at + 1, at + 6))) return false
  const kind = kindAt(text, at + step)
  if (kind === KIND.digit) return true
  // `2024/HV/00318`
  if (sign === '/' && step > 0 && PATH.test(text.slice(at, at + 10))) return true
  // `code=918273`
  if (sign === '=' && /^[\w-]+$/.test(text.slice(0, at))) return false
  return '/_='.includes(sign) && kind === KIND.letter && step < 0
}
