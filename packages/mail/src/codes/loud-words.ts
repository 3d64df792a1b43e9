import { vowelsOf } from './random-letters.ts'

const WORD = /^\p{Lu}{3,12}$/u
const NUMBER = /^\d{1,3}$/

/**
 * Whether parts with dashes between them are words in capitals, which keep their dashes:
 * `QUERCIA-73`. `KXQ-TRM` is no word, and groups of one length are more often random letters.
 */
export function areLoudWords(parts: readonly string[]): boolean {
  const [first = ''] = parts
  if (parts.length < 2 || parts.length > 6 || !isWord(first)) return false
  if (!parts.every((part) => NUMBER.test(part) || isWord(part))) return false
  const isEven = parts.every(({ length }) => length === first.length)
  const isShort = parts.length === 2 && first.length < 4
  return !isEven && !isShort && (parts.length > 2 || parts[1]?.length !== 1)
}

/** One letter in five is a vowel: `KLJUN`. */
function isWord(part: string): boolean {
  if (!WORD.test(part)) return false
  const vowels = vowelsOf(part)
  return vowels * 5 >= part.length && vowels < part.length
}
