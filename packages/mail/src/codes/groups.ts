import { chainsOf, endsShorter } from './chains.ts'
import { areLoudWords } from './loud-words.ts'
import type { Token } from './tokens.ts'

/** What a code is made of. */
export type Shape = 'digits' | 'mixed' | 'letters' | 'words'

/** Tokens that a reader would type as one code. */
export interface Group {
  readonly value: string
  readonly shape: Shape
  readonly prefix: string
  /** How many tokens it is made of. */
  readonly parts: number
  readonly separator: string
  readonly start: number
  readonly end: number
}

const LENGTH_MIN = 4
const LENGTH_MAX = 10

/** Digits after a prefix such as `G-`; with fewer, the letters are part of the code. */
const PREFIXED_DIGITS_MIN = 4

/** Letters of an ending that a language adds to a number. */
const ENDING_CHARS_MAX = 4

/** Words of a code made of words, and letters in each. */
const WORDS_MIN = 2
const WORDS_MAX = 6
const WORD_CHARS_MIN = 3
const WORD_CHARS_MAX = 12

/** The groups of a line that have the form of a code. */
export function groupsOf(text: string, tokens: readonly Token[]): readonly Group[] {
  const groups: Group[] = []
  for (const chain of chainsOf(text, tokens)) {
    const group = chain.tokens.length === 1 ? single(chain.tokens[0]) : joined(chain)
    if (group !== null) groups.push(group)
  }
  return groups
}

function single(token: Token | undefined): Group | null {
  if (token === undefined || token.value.length < LENGTH_MIN) return null
  if (token.value.length > LENGTH_MAX) return null
  const shape = shapeOf(token)
  if (shape === null || (token.isAttached && shape !== 'digits')) return null
  const { value, start, end } = token
  return { value, shape, prefix: '', parts: 1, separator: '', start, end }
}

function shapeOf({ digits, upper, lower, value }: Token): Shape | null {
  if (digits === value.length) return 'digits'
  if (digits > 0) return 'mixed'
  if (lower === 0 || upper === 0) return 'letters'
  // `Welcome` and `GmbH` are words; `xKqTrP` is not.
  return /^[A-Z]?[a-z]+$/.test(value) || upper + 1 >= value.length ? null : 'letters'
}

function joined(chain: {
  readonly tokens: readonly Token[]
  readonly separator: string
}): Group | null {
  const { tokens, separator } = chain
  const first = tokens[0]
  if (first === undefined || tokens.some((token) => token.isAttached)) return null
  // Many amounts have this form.
  if (separator === '.' && !isDotted(tokens)) return null
  const value = tokens.map((token) => token.value).join('')
  const digits = tokens.reduce((sum, token) => sum + token.digits, 0)
  const parts = { ...whole(tokens), parts: tokens.length, separator, prefix: '' }
  if (isPrefixed(tokens, separator)) {
    const number = tokens[1]?.value ?? ''
    return { ...parts, value: number, shape: 'digits', prefix: first.value, parts: 1 }
  }
  if (isPrefixedGroups(tokens, separator)) {
    return { ...parts, value: value.slice(1), shape: 'digits', prefix: first.value, parts: 2 }
  }
  if (separator === '.') return { ...parts, value, shape: 'digits' }
  if (isInflected(tokens, separator)) {
    const { value: number, end } = first
    return { ...parts, end, value: number, shape: 'digits', parts: 1 }
  }
  if (isGlued(tokens, separator)) {
    const number = tokens[1]?.value ?? ''
    return { ...parts, start: tokens[1]?.start ?? 0, value: number, shape: 'digits', parts: 1 }
  }
  if (separator === '-' && areLoudWords(tokens.map((token) => token.value))) {
    return { ...parts, value: tokens.map((token) => token.value).join('-'), shape: 'words' }
  }
  if (isWords(tokens)) {
    return { ...parts, value: tokens.map((token) => token.value).join(separator), shape: 'words' }
  }
  if (value.length < LENGTH_MIN || value.length > LENGTH_MAX) return null
  if (digits === value.length) return isEven(tokens) ? { ...parts, value, shape: 'digits' } : null
  if (tokens.some((token) => token.lower > 0 && token.upper > 0 && token.digits === 0)) return null
  if (isNumeral(tokens)) return null
  if (digits > 0)
    return tokens.some(isWord) && !isShortMix(tokens) ? null : { ...parts, value, shape: 'mixed' }
  return isEven(tokens) && first.lower === 0 ? { ...parts, value, shape: 'letters' } : null
}

function whole(tokens: readonly Token[]): { readonly start: number; readonly end: number } {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 }
}

/** `G-123456`: the field takes the digits alone. */
function isPrefixed(tokens: readonly Token[], separator: string): boolean {
  const [letters, number] = tokens
  if (tokens.length !== 2 || letters === undefined || number === undefined) return false
  return (
    separator === '-' &&
    letters.upper === letters.value.length &&
    letters.upper <= 3 &&
    // `SOL-2025` is a coupon.
    !(letters.upper === 3 && YEAR.test(number.value)) &&
    number.digits === number.value.length &&
    number.digits >= PREFIXED_DIGITS_MIN &&
    number.digits <= LENGTH_MAX
  )
}

/** `M-517-734`. */
function isPrefixedGroups(tokens: readonly Token[], separator: string): boolean {
  const [letter, one, other] = tokens
  if (tokens.length !== 3 || separator !== '-' || letter?.upper !== 1) return false
  const isDigits = (token: Token | undefined): boolean =>
    token?.digits === 3 && token.value.length === 3
  return letter.value.length === 1 && isDigits(one) && isDigits(other)
}

const YEAR = /^20[2-4]\d$/

/** Groups with dots that are neither a date nor an amount in thousands. */
function isDotted(tokens: readonly Token[]): boolean {
  const length = tokens.reduce((sum, token) => sum + token.value.length, 0)
  if (length < 6 || length > 8) return false
  if (tokens.length === length) return true
  if (tokens.length > 3) return false
  const [day = 0, month = 0] = tokens.map(({ value }) => Number(value))
  const isDate = tokens.length === 3 && day <= 31 && month <= 12
  return !isDate && !/^0+$/.test(tokens.at(-1)?.value ?? '')
}

/** Prefixes of Zulu and its relatives that a dash joins to a number: `ngu-6194`. */
const GLUED = new Set([
  'ngu',
  'nge',
  'ku',
  'kwe',
  'ka',
  'u',
  'i',
  'yi',
  'ya',
  'wa',
  'le',
  'ne',
  'no',
])

function isGlued([prefix, number, ...more]: readonly Token[], separator: string): boolean {
  if (prefix === undefined || number === undefined || more.length > 0) return false
  const isNumber = number.digits === number.value.length && number.digits >= PREFIXED_DIGITS_MIN
  return separator === '-' && isNumber && GLUED.has(prefix.value)
}

/** `VIII-2`: a class or a chapter. */
function isNumeral([numeral, number, ...more]: readonly Token[]): boolean {
  if (numeral === undefined || number === undefined || more.length > 0) return false
  return /^[IVX]+$/.test(numeral.value) && number.digits === number.value.length
}

/** `hgt-204`: too short for a word. */
function isShortMix([letters, number, ...more]: readonly Token[]): boolean {
  if (letters === undefined || number === undefined || more.length > 0) return false
  return letters.lower === 3 && letters.value.length === 3 && number.digits >= 3
}

/** `7093-as`: a number with the ending of its language. */
function isInflected([number, ending, ...more]: readonly Token[], separator: string): boolean {
  if (number === undefined || ending === undefined || more.length > 0 || separator !== '-') {
    return false
  }
  const isNumber = number.digits === number.value.length && number.digits >= PREFIXED_DIGITS_MIN
  return isNumber && ending.lower === ending.value.length && ending.lower <= ENDING_CHARS_MAX
}

/** Parts of equal or nearly equal length: `123-456`, `1234 567`, `1 2 3 4`. */
function isEven(tokens: readonly Token[]): boolean {
  const lengths = tokens.map((token) => token.value.length)
  const shortest = Math.min(...lengths)
  const longest = Math.max(...lengths)
  if (longest > 5) return false
  if (shortest === longest || (shortest >= 3 && longest - shortest === 1)) return true
  // `3371 86`, `60 33 918`, `07-3-28`
  const length = lengths.reduce((sum, one) => sum + one, 0)
  if (endsShorter(lengths)) return true
  if (isDate(tokens)) return false
  return longest <= 4 && length >= 5 && length <= 8 && tokens.length <= 3
}

/** `2025-03-14`, `14-03-2025`. */
function isDate([first, , last, ...more]: readonly Token[]): boolean {
  if (first === undefined || last === undefined || more.length > 0) return false
  return /^(?:19|20)\d\d$/.test(first.value) || /^(?:19|20)\d\d$/.test(last.value)
}

/** `digit` in `6-digit`: lower-case letters only. */
function isWord({ lower, value }: Token): boolean {
  return lower === value.length && lower >= 3
}

function isWords(tokens: readonly Token[]): boolean {
  if (tokens.length < WORDS_MIN || tokens.length > WORDS_MAX) return false
  const words = tokens.filter(
    ({ value, digits, upper }) =>
      digits === 0 &&
      upper === 0 &&
      value.length >= WORD_CHARS_MIN &&
      value.length <= WORD_CHARS_MAX,
  )
  const figures = tokens.filter(({ digits, value }) => digits === value.length && digits <= 4)
  return words.length >= WORDS_MIN && words.length + figures.length === tokens.length
}
