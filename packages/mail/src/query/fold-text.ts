const ASCII = /^[\x00-\x7f]*$/

/** Accents, as NFKD separates them from their letters. */
const ACCENTS = /[\u0300-\u036f]/g

/** Characters that are not seen: soft hyphens, joiners, direction marks, variation selectors. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]/g

/** Letters that NFKD does not decompose, and the second form of sigma. */
const EQUIVALENTS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ς: 'σ' }

/**
 * A text in the form in which searches compare: without case, accents and invisible characters,
 * with one space for any white space.
 *
 * Not the folding of codes/, which is made for words about codes: it keeps the tones of Vietnamese
 * and has no difference between a hyphen and a space.
 */
export function foldText(text: string): string {
  const folded = ASCII.test(text) ? text.toLowerCase() : foldLetters(text)
  return folded.replace(/\s+/g, ' ').trim()
}

/** Punctuation that texts and phrases are compared without. */
const PUNCTUATION = /[<>",;()]+/g

/** The same with a space for punctuation, as Mailpit's searches compare texts. */
export function foldWords(text: string): string {
  return foldText(text.replace(PUNCTUATION, ' '))
}

function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(ACCENTS, '')
      .replace(INVISIBLE, '')
      // Lower case alone keeps ß apart from SS, and upper case alone keeps ẞ apart from both.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(/[øłđς]/g, (letter) => EQUIVALENTS[letter] ?? letter)
      // Joins the parts of Korean syllables and of Japanese letters again.
      .normalize('NFC')
  )
}
