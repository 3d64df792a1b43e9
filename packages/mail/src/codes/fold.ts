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

/** The digit zero of each script; the other nine follow it. */
const ZEROS: readonly number[] = [
  0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
  0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0,
  0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
]

const SPACES: readonly number[] = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]

/** First and last of what is neither letter nor digit above ASCII. */
const OTHERS: readonly (readonly [number, number])[] = [
  [0x80, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x37e, 0x37e],
  [0x387, 0x387],
  [0x55a, 0x55f],
  [0x589, 0x58f],
  [0x5be, 0x5be],
  [0x5c0, 0x5c0],
  [0x5c3, 0x5c3],
  [0x5f3, 0x5f4],
  [0x600, 0x60f],
  [0x61b, 0x61f],
  [0x66a, 0x66d],
  [0x6d4, 0x6d4],
  [0x964, 0x965],
  [0xe3f, 0xe3f],
  [0xe4f, 0xe4f],
  [0xe5a, 0xe5b],
  [0x104a, 0x104f],
  [0x1360, 0x137c],
  [0x17d4, 0x17db],
  [0x2000, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3001, 0x3004],
  [0x3008, 0x3020],
  [0x3030, 0x3030],
  [0x303d, 0x303f],
  [0x30fb, 0x30fb],
  [0xd800, 0xf8ff],
  [0xfe10, 0xfe6f],
  [0xff00, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65],
  [0xffe0, 0xffff],
]

const JOINED: readonly (readonly [number, number])[] = [
  [0x900, 0xdff],
  [0xe00, 0xeff],
  [0x1000, 0x109f],
  [0x1200, 0x137f],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3021, 0x30ff],
  [0x3400, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0xff66, 0xff9f],
]

const PREFIXING: readonly (readonly [number, number])[] = [
  [0x590, 0x5ff],
  [0x600, 0x6ff],
]

/** Zero width, and optional marks of Latin, Arabic and Hebrew letters. */
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
  // The frame of a keycap.
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
  const kinds = new Uint8Array(0x10000).fill(KIND.letter)
  const set = (ranges: readonly (readonly [number, number])[], kind: number): void => {
    for (const [first, last] of ranges) kinds.fill(kind, first, last + 1)
  }
  kinds.fill(KIND.other, 0, 0x41)
  set(
    [
      [0x5b, 0x60],
      [0x7b, 0x7f],
    ],
    KIND.other,
  )
  set(JOINED, KIND.joined)
  set(PREFIXING, KIND.prefixing)
  set(OTHERS, KIND.other)
  set(NOTHING, KIND.nothing)
  for (const zero of ZEROS) kinds.fill(KIND.digit, zero, zero + 10)
  for (const space of SPACES) kinds[space] = KIND.space
  kinds.fill(KIND.space, 0x2000, 0x200b)
  return kinds
}

function makeFolded(): Uint16Array {
  const folded = new Uint16Array(0x10000)
  for (let code = 0; code < folded.length; code += 1) folded[code] = code
  for (const [first, last] of CASED) {
    for (let code = first; code <= last; code += 1) folded[code] = foldLetter(code)
  }
  for (const [letter, equivalent] of EQUIVALENTS)
    folded[letter.charCodeAt(0)] = equivalent.charCodeAt(0)
  for (const [first, last] of NOTHING) folded.fill(0, first, last + 1)
  for (const space of SPACES) folded[space] = 0x20
  folded.fill(0x20, 0x2000, 0x200b)
  for (const zero of ZEROS) {
    for (let digit = 0; digit < 10; digit += 1) folded[zero + digit] = 0x30 + digit
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
