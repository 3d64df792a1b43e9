import { codeAt } from '../text/code-at.ts'

/** What kind of character a code unit is. */
export const KIND = {
  other: 0,
  space: 1,
  /** A letter of a script that puts spaces between words. */
  letter: 2,
  /** A letter of a script without spaces between words, or with many affixes. */
  joined: 3,
  digit: 4,
  /** Zero width, or a mark that folding removes. */
  nothing: 5,
  /** A letter of a script that prefixes articles and prepositions to a word. */
  prefixing: 6,
  /** Before the start or behind the end of a text. */
  outside: 7,
} as const

/** First and last letter of scripts without spaces between words, or with many affixes. */
const JOINED: readonly (readonly [number, number])[] = [
  [0x900, 0xeff],
  [0x1000, 0x109f],
  [0x1200, 0x137f],
  [0x1780, 0x17ff],
  [0x3005, 0x30ff],
  [0x3400, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0xff66, 0xff9f],
]

/** Hebrew and Arabic. */
const PREFIXING = [0x590, 0x6ff] as const

/** Zero width, the frame of a keycap, and optional marks of Latin, Arabic and Hebrew letters. */
const NOTHING: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x300, 0x36f],
  [0x591, 0x5bd],
  [0x5bf, 0x5bf],
  [0x5c1, 0x5c2],
  [0x5c4, 0x5c7],
  [0x610, 0x61a],
  [0x61c, 0x61c],
  [0x640, 0x640],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x6d6, 0x6dc],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x20e3, 0x20e3],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
]

/**
 * Letters with case or accents: Latin, Greek, Cyrillic, Armenian, Georgian capitals, full width.
 * Letters of other scripts, such as Hangul, must not be decomposed.
 */
const CASED: readonly (readonly [number, number])[] = [
  [0x41, 0x5a],
  [0xc0, 0x556],
  [0x1c90, 0x1cbf],
  [0x1e00, 0x1fff],
  [0xff21, 0xff3a],
  [0xff41, 0xff5a],
]

/** Letters that have no decomposition, and letters that are used interchangeably. */
const EQUIVALENTS = new Map(
  Object.entries({
    ı: 'i',
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ß: 's',
    ς: 'σ',
    ё: 'е',
    أ: 'ا',
    إ: 'ا',
    آ: 'ا',
    ٱ: 'ا',
    ى: 'ي',
    ی: 'ي',
    ک: 'ك',
    ة: 'ه',
    ۀ: 'ه',
    ھ: 'ه',
    ۃ: 'ه',
    ؤ: 'و',
    ʻ: "'",
    ʼ: "'",
    '‘': "'",
    '’': "'",
    '‐': ' ',
    '‑': ' ',
    '–': ' ',
    '—': ' ',
    '-': ' ',
    ã: 'ã',
  }),
)

/** The kind of every code unit. */
export const KINDS: Uint8Array = makeKinds()

/**
 * Every code unit in the form in which words are compared: lower case, without accents, digits of
 * all scripts as 0 to 9, hyphens and white space as a space; 0 for what is ignored.
 */
export const FOLDED: Uint16Array = makeFolded()

/**
 * The kind of the character at a position, which may be outside the text.
 *
 * Checked here: `charCodeAt` returns NaN there, and reading a table at NaN once makes every later
 * read at that place in the code several times slower.
 */
export function kindAt(text: string, at: number): number {
  return at >= 0 && at < text.length ? (KINDS[codeAt(text, at)] ?? KIND.other) : KIND.outside
}

function makeKinds(): Uint8Array {
  return Uint8Array.from({ length: 0x10000 }, (_, code) => {
    const sign = String.fromCharCode(code)
    if (isIn(NOTHING, code)) return KIND.nothing
    if (/[\s\u0085]/.test(sign)) return KIND.space
    if (/\p{Nd}/u.test(sign)) return KIND.digit
    if (!/[\p{L}\p{M}]/u.test(sign)) return KIND.other
    if (isIn(JOINED, code)) return KIND.joined
    return code >= PREFIXING[0] && code <= PREFIXING[1] ? KIND.prefixing : KIND.letter
  })
}

function isIn(ranges: readonly (readonly [number, number])[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last)
}

function makeFolded(): Uint16Array {
  const folded = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  for (const [first, last] of CASED) {
    for (let code = first; code <= last; code += 1) folded[code] = foldLetter(code)
  }
  for (const [letter, equivalent] of EQUIVALENTS)
    folded[letter.charCodeAt(0)] = equivalent.charCodeAt(0)
  let digit = 0
  for (const [code, kind] of KINDS.entries()) {
    if (kind === KIND.nothing) folded[code] = 0
    else if (kind === KIND.space) folded[code] = 0x20
    // The ten digits of a script follow each other.
    digit = kind === KIND.digit ? (KINDS[code - 1] === KIND.digit ? (digit + 1) % 10 : 0) : 0
    if (kind === KIND.digit) folded[code] = 0x30 + digit
  }
  return folded
}

function foldLetter(code: number): number {
  const letter = String.fromCharCode(code).toLowerCase()
  const equivalent = EQUIVALENTS.get(letter)
  if (equivalent !== undefined) return equivalent.charCodeAt(0)
  if (code >= 0xff21) return letter.charCodeAt(0) - 0xfee0
  // In Vietnamese the tone marks distinguish words.
  if (code >= 0x1ea0 && code <= 0x1ef9) return letter.charCodeAt(0)
  return letter.normalize('NFD').charCodeAt(0)
}

/** A word in the form in which words are compared: see `FOLDED`. */
export function foldWord(word: string): string {
  if (isFolded(word)) return word.trim()
  let folded = ''
  for (let at = 0; at < word.length; at += 1) {
    const code = FOLDED[codeAt(word, at)] ?? 0
    if (code === 0 || (code === 0x20 && folded.endsWith(' '))) continue
    folded += String.fromCharCode(code)
  }
  return folded.trim()
}

function isFolded(word: string): boolean {
  let before = 0
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at)
    if (code === 0 || FOLDED[code] !== code) return false
    if (code === 0x20 && before === 0x20) return false
    before = code
  }
  return true
}
