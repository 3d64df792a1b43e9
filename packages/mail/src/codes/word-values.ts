import { codeAt } from '../text/code-at.ts'
import { KIND, KINDS } from './fold.ts'
import { LARGE_PX, type Line } from './lines.ts'
import type { PlacedValue, SearchedLine } from './placed-value.ts'

/** Characters of words that may be a code. */
const CHARS_MIN = 4
const CHARS_MAX = 50

/** Words joined by one sign: `vat-poxis-lyndy`, `tulp.fiets.regen`, `m4-zorro-lento`. */
const JOINED =
  /^[\p{Ll}\p{M}](?:\d|[\p{Ll}\p{M}]{1,13})([-._+/~·])(?:[\p{Ll}\p{M}]{2,14}|\d{1,4})(?:\1(?:[\p{Ll}\p{M}]{2,14}|\d{1,4})){0,5}$/u

/** `quercia-73` in capitals, `Amber-Lake-River`, `DVA-KLJUN-83`. */
const JOINED_CAPITALS =
  /^\p{Lu}[\p{L}\p{M}]{1,13}([-._+~·])(?:\p{Lu}[\p{L}\p{M}]{1,13}|\d{1,4})(?:\1(?:\p{Lu}[\p{L}\p{M}]{1,13}|\d{1,4})){0,5}$/u

/** `42-amber-lake`. */
const NUMBER_FIRST = /^\d{1,4}([-._])[\p{Ll}\p{M}]{3,14}(?:\1[\p{Ll}\p{M}]{3,14})*$/u

/** Words with spaces: `tulip oak seven`, `Amber Lake River 42`. */
const SPACED =
  /^(?:[\p{Ll}\p{M}]{3,14}(?: (?:[\p{Ll}\p{M}]{3,14}|\d{1,4})){1,5}|\p{Lu}[\p{L}\p{M}]{2,13}(?: (?:\p{Lu}[\p{L}\p{M}]{2,13}|\d{1,4})){1,5})$/u

/** Words of scripts without capitals: `すずめ-ゆうだち-かさ`, `春江花月`. */
const UNCASED =
  /^\p{Lo}[\p{Lo}\p{M}ー]{1,13}(?:[ ・、，,‐-]+(?:\p{Lo}[\p{Lo}\p{M}ー]{0,13}|\d{1,4})){0,5}$/u
const UNCASED_CHARS_MAX = 24

/** Letters and digits of other alphabets: `Ж5К-183`, `ЖКМ-ТРЛ`, `björk91`. */
const FOREIGN_GROUPS = /^(?=.*[^\0-\x7f])(?=.*\p{L})[\p{Lu}\d]{2,4}[- ][\p{Lu}\d]{2,4}$/u
const FOREIGN = /^(?=.*[^\0-\x7f])(?=.*\p{L})[\p{Lu}\d]{2,10}(?:[- ][\p{Lu}\d]{2,6})?$/u
const FOREIGN_SMALL = /^(?=.*[^\0-\x7f])[\p{Ll}\p{M}]{3,10}\d{1,4}$/u

/** In a sentence: `amber-lake-42`. */
const IN_SENTENCE =
  /(?<![\w-])(?:[a-z]{3,12}|[A-Z]{3,12})(?:-(?:[a-z]{3,12}|[A-Z]{3,12}|\d{1,4})){1,5}(?![\w-])/g

/** Values made of words: a whole line, what follows a colon, or joined words in a sentence. */
export function wordValuesOf(line: SearchedLine): readonly PlacedValue[] {
  const { text, first, last } = line
  const found: PlacedValue[] = []
  const tail = text.slice(first, last)
  const colon = Math.max(tail.lastIndexOf(': '), tail.lastIndexOf('：'), tail.lastIndexOf('= '))
  for (const from of colon > 0 ? [0, colon + 1] : [0]) {
    if (tail.length - from > CHARS_MAX + 1) continue
    const words = tail.slice(from).trimStart()
    if (words.length < CHARS_MIN || words.length > CHARS_MAX || !mayBeValue(words)) continue
    const value = valueOfWords(words, line, from > 0 || line.isLed)
    if (value === null) continue
    const start = last - words.length
    found.push({ ...value, start, end: last, hasPrefix: false })
  }
  if (text.includes('-')) found.push(...inSentence(line))
  return found
}

/** Whether it has signs of such values alone, and more than one word of ASCII. */
function mayBeValue(words: string): boolean {
  let isJoined = false
  for (let at = 0; at < words.length; at += 1) {
    const code = codeAt(words, at)
    if (code > 0x7f || JOINS.includes(words.charAt(at))) isJoined = true
    else if (KINDS[code] !== KIND.letter && KINDS[code] !== KIND.digit) return false
  }
  return isJoined
}

const JOINS = ' -._+/~,'

type Words = Pick<PlacedValue, 'value' | 'shape' | 'groups'>

function valueOfWords(words: string, line: SearchedLine, isLed: boolean): Words | null {
  const ofWords = () => ({ value: words, shape: 'words' as const, groups: groupsOf(words) })
  if (!words.includes(' ') && !FOREIGN_GROUPS.test(words)) {
    const isJoined = JOINED.test(words) || JOINED_CAPITALS.test(words) || NUMBER_FIRST.test(words)
    if (isJoined) return ofWords()
  }
  if (FOREIGN.test(words) || FOREIGN_SMALL.test(words)) {
    return { value: words.replace(/[- ]/, ''), shape: 'mixed', groups: groupsOf(words) }
  }
  if ((isLed || /\d/.test(words) || isSetOff(line)) && SPACED.test(words)) return ofWords()
  const isUncased =
    (isLed || words.includes('-')) && words.length <= UNCASED_CHARS_MAX && UNCASED.test(words)
  return isUncased ? { ...ofWords(), groups: Math.max(groupsOf(words), 2) } : null
}

function groupsOf(words: string): number {
  return words.split(/[ ._+/~,·・、，‐-]+/).length
}

/** Whether a line has a part that is bold, large or monospaced. */
export function isSetOff({ stretches }: Line): boolean {
  return stretches.some(
    ({ style, isLink }) =>
      !isLink && (style.isBold || style.isMonospace || style.fontSizePx >= LARGE_PX),
  )
}

function inSentence({ text, stretches }: SearchedLine): readonly PlacedValue[] {
  return Array.from(text.matchAll(IN_SENTENCE)).flatMap(({ 0: value, index }) => {
    const groups = value.split('-').length
    const isLed = /[:：]\s*$/.test(text.slice(Math.max(0, index - 4), index))
    const isStyled = stretches.length > 1 && stretches.some(({ start }) => start === index)
    const isLikeCode =
      isLed || isStyled || (groups >= 3 && (/\d/.test(value) || value === value.toUpperCase()))
    if (!isLikeCode) return []
    const end = index + value.length
    return [{ value, shape: 'words' as const, start: index, end, groups, hasPrefix: false }]
  })
}
