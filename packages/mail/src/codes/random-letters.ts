const VOWELS = /[^AEIOUYÆØŒАЕИОУЫЭЮЯІЇЄΑΕΗΙΟΥΩ]/g

/** The vowels of a word in capitals, with or without accents. */
export function vowelsOf(word: string): number {
  return word.normalize('NFD').replaceAll(VOWELS, '').length
}

/** Capitals with too few vowels for words. */
export function areRandom(letters: string): boolean {
  return vowelsOf(letters) * 5 <= letters.length
}

/** Small letters of ASCII, and capitals of other alphabets: those of ASCII are found as tokens. */
const SMALL = /^[a-z]{5,10}$/
const OTHER_CAPITALS = /^(?=.*[^A-Z])\p{Lu}{4,10}$/u

/** Whether letters are no word: `kxqtrm`, `ЖКМТ`. */
export function isRandomWord(written: string): boolean {
  if (written.includes(' ')) return false
  if (!SMALL.test(written) && !OTHER_CAPITALS.test(written)) return false
  return vowelsOf(written.toUpperCase()) === 0
}
