import { codeAt } from '../text/code-at.ts'
import type { PlacedValue, SearchedLine } from './placed-value.ts'
import { type Token, typed } from './tokens.ts'

/** Characters of a value that is written in groups. */
const CHARS_MIN = 4
const MIXED_CHARS_MAX = 12
const DIGITS_MAX = 10

/** Characters of a group. */
const GROUP_CHARS_MAX = 6

/** Groups of a code with one character each. */
const GROUPS_MAX = 12

/** Characters between two groups. */
const GAP_CHARS_MAX = 3

const SPACE = 0x20

/** Spaces and dashes: they may differ within a code, as in `27 61 – 30 84`. */
const SOFT = /^[\s\u00a0]*[-–—‐‑]?[\s\u00a0]*$/

/** Between columns: `884120   190 442`. */
const WIDE = /^\s{2,}$/

/** Values that are written in groups with signs between them. */
export function groupedValuesOf(line: SearchedLine): readonly PlacedValue[] {
  const { text, tokens } = line
  const found: PlacedValue[] = []
  for (let from = 0; from < tokens.length; ) {
    if (isWord(tokens[from])) {
      from += 1
      continue
    }
    const last = lastOfRun(text, tokens, from)
    const run = last > from ? tokens.slice(from, last + 1) : []
    if (run.some(isGroupOfAny)) found.push(...valuesOfRun(line, run))
    // The last token of a run may begin the next one.
    from = Math.max(last, from + 1)
  }
  const whole = wholeLine(line)
  if (whole !== null) found.push(whole)
  return found
}

/** A word of small letters that is too long for a group of a code. */
function isWord(token: Token | undefined): boolean {
  return token !== undefined && token.lower > 3 && token.digits === 0
}

/** Nearly all runs are words: a code has digits or capitals. */
function isGroupOfAny({ digits, lower }: Token): boolean {
  return digits > 0 || lower === 0
}

/** The last of the tokens that are separated in one way. */
function lastOfRun(text: string, tokens: readonly Token[], from: number): number {
  const kind = gapBetween(text, tokens[from], tokens[from + 1])
  let at = from
  while (kind !== null && gapBetween(text, tokens[at], tokens[at + 1]) === kind) at += 1
  return at
}

/** What separates two tokens: the same for all spaces and dashes; null if no code has it. */
function gapBetween(text: string, one: Token | undefined, next: Token | undefined): string | null {
  if (one === undefined || next === undefined) return null
  const length = next.start - one.end
  if (length === 1 && codeAt(text, one.end) === SPACE) return ' '
  if (length > GAP_CHARS_MAX) return null
  const gap = text.slice(one.end, next.start)
  // A bracket or quotation ends with a code: `(Code L28CAI) If`, `"otp":"830264"`.
  if (gap === '' || /[\p{L}\p{N}\n"”]|[)\]]\s+$/u.test(gap)) return null
  if (SOFT.test(gap)) return WIDE.test(gap) ? '  ' : ' '
  return gap.replaceAll(/\s+/g, ' ')
}

function valuesOfRun(line: SearchedLine, run: readonly Token[]): readonly PlacedValue[] {
  const gaps = run.slice(1).map(({ start }, at) => line.text.slice(run[at]?.end, start))
  const isAlone = run.every(isShort) && isAnswer(line, run)
  const isOther = isAlone ? isShort : hasSign(gaps) ? isSmall : isCapital
  return [...new Set([isDigits, isCapital, isOther])].flatMap((isGroup) =>
    stretchesOf(run, isGroup).flatMap(([from, to]) => {
      const groups = run.slice(from, to)
      const own = gaps.slice(from, to - 1)
      if (isGroup === isDigits) return numberOf(groups, own)
      const mixed = mixedOf(line, groups, own)
      return isGroup === isCapital ? [...mixed, ...prefixed(groups, own)] : mixed
    }),
  )
}

function hasSign(gaps: readonly string[]): boolean {
  return gaps.some((gap) => gap.trim() !== '')
}

function isDigits({ value, digits, isAttached }: Token): boolean {
  return digits === value.length && digits <= GROUP_CHARS_MAX && !isAttached
}

function isCapital({ value, lower, isAttached }: Token): boolean {
  return lower === 0 && value.length <= GROUP_CHARS_MAX && !isAttached
}

/** Small letters as well, but no words: `wP4`, `kx7`. */
function isSmall(token: Token): boolean {
  const { value, isAttached } = token
  return value.length <= GROUP_CHARS_MAX && !isAttached && isGroupOfAny(token)
}

/** Also short words, where nothing else is in the line: `zx 81 kq`. */
function isShort(token: Token): boolean {
  return isSmall(token) || (token.value.length <= 3 && !token.isAttached)
}

/** From and to of each longest row of tokens of a kind. */
function stretchesOf(
  run: readonly Token[],
  isGroup: (token: Token) => boolean,
): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  for (let from = 0; from < run.length; from += 1) {
    let to = from
    for (; to - from <= GROUPS_MAX; to += 1) {
      const token = run[to]
      if (token === undefined || !isGroup(token)) break
    }
    if (to - from > 1) found.push([from, to])
    from = Math.max(from, to)
  }
  return found
}

function numberOf(groups: readonly Token[], gaps: readonly string[]): readonly PlacedValue[] {
  const value = groups.map((group) => group.value).join('')
  if (value.length < CHARS_MIN || value.length > DIGITS_MAX) return []
  if (groups.some((group) => group.digits > 5) || !isForDigits(groups, gaps)) return []
  return [placed(groups, value, 'digits')]
}

/** Whether digits in these groups are no date, time or amount. */
function isForDigits(groups: readonly Token[], gaps: readonly string[]): boolean {
  const lengths = groups.map(({ digits }) => digits)
  const sign = gaps[0]?.trim() ?? ''
  const [first = 0, second = 0, third = 0] = groups.map(({ value }) => Number(value))
  if (/^[-./]$/.test(sign) && groups.length === 3) {
    const isDay = (day: number, month: number) => day > 0 && day <= 31 && month > 0 && month <= 12
    const hasDay = isDay(first, second) || isDay(second, first)
    if (hasDay && lengths[2] === 4) return false
    if (lengths[0] === 4 && lengths[2] === 2 && isDay(third, second)) return false
  }
  if (sign === ',') return false
  if (groups.length > 2) return sign !== ':' || lengths.some((length) => length !== 2)
  if (sign === '.') return lengths[1] === 3 && (lengths[0] ?? 0) >= 2
  return (sign !== ':' && sign !== '/') || (lengths[0] === lengths[1] && (lengths[0] ?? 0) >= 3)
}

function mixedOf(
  line: SearchedLine,
  groups: readonly Token[],
  gaps: readonly string[],
): readonly PlacedValue[] {
  const value = groups.map((group) => group.value).join('')
  const digits = groups.filter((group) => group.digits > 0).length
  if (groups.every(isDigits) || /[.,]\s/.test(gaps[0] ?? '')) return []
  if (value.length < CHARS_MIN || value.length > MIXED_CHARS_MAX) return []
  const lengths = groups.map((group) => group.value.length)
  const uneven = Math.max(...lengths) - Math.min(...lengths)
  if (digits > 0) {
    const isLikely = digits * 2 >= groups.length || uneven === 0 || isAnswer(line, groups)
    return isLikely ? [placed(groups, value, 'mixed')] : []
  }
  if (groups.some(({ lower }) => lower > 0)) return []
  const isRandom = value.replaceAll(/[^AEIOUY]/g, '').length * 5 <= value.length
  const isOpen = hasSign(gaps) || isRandom || isAnswer(line, groups)
  return uneven <= (isRandom ? 2 : 1) && isOpen ? [placed(groups, value, 'letters')] : []
}

/** `G-482913`, `G-551 278`, `TAC 517-734`: the letters are not typed. */
function prefixed(groups: readonly Token[], gaps: readonly string[]): readonly PlacedValue[] {
  const [prefix, ...rest] = groups
  if (prefix === undefined || prefix.digits > 0 || prefix.value.length > 3) return []
  if (!rest.every(isDigits)) return []
  const value = rest.map((group) => group.value).join('')
  const hasSign = (gaps[0] ?? '').trim() !== ''
  if (!hasSign || value.length < CHARS_MIN || value.length > DIGITS_MAX) return []
  return [{ ...placed(groups, value, 'digits'), groups: rest.length, hasPrefix: true }]
}

/** Up to the end of the line, from its beginning or from a colon. */
function isAnswer(line: SearchedLine, run: readonly Token[]): boolean {
  if ((run.at(-1)?.end ?? 0) < line.last) return false
  const start = run[0]?.start ?? 0
  return start <= line.first || /[:：=]\s*$/.test(line.text.slice(Math.max(0, start - 4), start))
}

function placed(groups: readonly Token[], value: string, shape: PlacedValue['shape']): PlacedValue {
  const start = groups[0]?.start ?? 0
  const end = groups.at(-1)?.end ?? 0
  return { value, shape, start, end, groups: groups.length, hasPrefix: false }
}

/** Characters at the end of a line in which a code with any signs is searched. */
const TAIL_CHARS = 80

/**
 * Digits with any signs between them, or a letter of another script before them, alone in a line
 * or behind a colon: `( 6 ) ( 0 ) ( 6 ) ( 1 )`, `20:25:07`, `가 7 3 9 2`.
 */
const ANY_SIGNS =
  /(?:^|[:：]\s*)((?:[^\p{L}\p{N}]*\p{Lo}?[^\p{L}\p{N}]*)\d(?:[^\p{L}\p{N}\n]{0,6}\d){3,9})[^\p{L}\p{N}]*$/u

/** A clock, a date, an amount. */
const NO_CODE =
  /^\d\d?[.:]\d\d$|^\d\d?[./-]\d\d?[./-](?:\d\d){1,2}$|^\d{4}-\d\d-\d\d$|^\d{1,3}(?:[.,]\d{3})+[.,]\d\d$/

function wholeLine({ text, first, last, tokens }: SearchedLine): PlacedValue | null {
  const from = Math.max(first, text.length - TAIL_CHARS)
  const token = tokens.at(-1)
  if (token === undefined || token.end !== last || token.digits === 0) return null
  const tail = typed(text.slice(from))
  if (tail.length !== text.length - from) return null
  const match = ANY_SIGNS.exec(tail)
  const written = match?.[1]
  if (match === null || written === undefined || NO_CODE.test(written.trim())) return null
  const value = written.replaceAll(/[^\p{L}\p{N}]/gu, '')
  const offset = written.search(/[\p{L}\p{N}]/u)
  const start = from + match.index + match[0].indexOf(written) + offset
  const end = from + match.index + match[0].indexOf(written) + written.length
  const groups = written
    .trim()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean).length
  if (value.length > DIGITS_MAX) return null
  const shape = /^\d+$/.test(value) ? 'digits' : 'mixed'
  return { value, shape, start, end, groups, hasPrefix: false }
}
