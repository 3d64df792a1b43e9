import { areLoudWords } from './loud-words.ts'

/** Words with dashes: `ek-sol-71`, `берёза-туман-47`; `hgt-204` and `db-primary-02` are none. */
const SMALL_WORDS =
  /^(?!\p{Ll}{2,3}-\d)\p{Ll}{2,12}(?:-(?:\p{Ll}{2,12}|\d{1,4}(?=-))){0,4}-(?:(?!20[2-4]\d$|0\d$)\d{2,4}|\p{Ll}{3,12})$/u

/** `42-amber-lake`. */
const NUMBER_FIRST = /^\d{1,4}(?:-\p{Ll}{3,12}){2,4}$/u

/** `Amber-Lake-River`, `Снег-Весло-17`; names of places have two parts. */
const TITLE_WORDS =
  /^(?:\p{Lu}\p{Ll}{2,11}-){1,4}(?:(?!20[2-4]\d$)\d{2,4}|(?<=-.*-)\p{Lu}\p{Ll}{2,11})$/u

/** `amber_lake_river`. */
const UNDERLINED_WORDS = /^\p{Ll}{3,12}_\p{Ll}{3,12}_(?:\p{Ll}{3,12}|\d{1,4})$/u

/** Words of a script without capitals: `すずめ-ゆうだち-かさ`, `नदी-पहाड़-42`. */
const UNCASED_WORDS =
  /^(?:\p{Lo}[\p{Lo}\p{M}ー]{0,11})([-・])\p{Lo}[\p{Lo}\p{M}ー]{0,11}(?:\1(?:\p{Lo}[\p{Lo}\p{M}ー]{0,11}|\p{Nd}{1,4})){1,3}$/u

/** Three words and more, with a letter that is not ASCII: the others are found as tokens. */
const SPACED_WORDS = /^(?=.*[^\0-\x7f])\p{Ll}{3,12}(?: \p{Ll}{3,12}){2,5}$/u

/** Three words and more with dots, `tulp.fiets.regen`; not the name of a host. */
const DOTTED_WORDS =
  /^(?!www\.)\p{Ll}{3,12}(?:\.\p{Ll}{3,12}){1,3}\.(?!(?:com|net|org|edu|gov|info|example|test|local|app|dev|cloud|shop|online|invalid)$)\p{Ll}{4,12}$/u

/** How many words a line has that is a code of words; 0 if it is none. */
export function wordsIn(written: string): number {
  const isSpaced = beginsSmall(written) && SPACED_WORDS.test(written)
  return isSpaced ? written.split(' ').length : joinedWordsIn(written)
}

/** Whether the first character may be a small letter. Most lines begin with another. */
function beginsSmall(written: string): boolean {
  const first = written.charCodeAt(0)
  if (first <= 0x7f) return first >= 0x61 && first <= 0x7a
  // Dashes, quotation marks and currencies.
  return first < 0x2000 || first > 0x20ff
}

/** How many words with dashes, dots or underscores between them a code has; 0 if it is none. */
export function joinedWordsIn(written: string): number {
  if (written.includes(' ')) return 0
  const separator = SEPARATORS.find((sign) => written.includes(sign))
  if (separator === undefined) return 0
  const parts = written.split(separator)
  const isCode =
    separator === '-'
      ? DASHED.some((form) => form.test(written)) || areLoudWords(parts)
      : OTHERS.some((form) => form.test(written))
  return isCode ? parts.length : 0
}

const SEPARATORS = ['-', '.', '_', '・']
const DASHED = [SMALL_WORDS, NUMBER_FIRST, TITLE_WORDS, UNCASED_WORDS]
const OTHERS = [DOTTED_WORDS, UNDERLINED_WORDS, UNCASED_WORDS]
