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

/** Scripts without spaces between words, or with many affixes. */
const JOINED = new RegExp(
  '[\u0900-\u0eff\u1000-\u109f\u1200-\u137f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff' +
    '\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]',
)

/** Hebrew and Arabic. */
const PREFIXING = /[\u0590-\u06ff]/

/** Zero width, the frame of a keycap, and optional marks of Latin, Arabic and Hebrew letters. */
const NOTHING = new RegExp(
  '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4-\u05c7\u0610-\u061a\u061c\u0640' +
    '\u064b-\u065f\u0670\u06d6-\u06dc\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3' +
    '\ufe00-\ufe0f\ufeff]',
)

/**
 * Letters with case or accents: Latin, Greek, Cyrillic, Armenian, Georgian capitals, full width.
 * Letters of other scripts, such as Hangul, must not be decomposed.
 */
const CASED = /[A-Z\u00c0-\u0556\u1c90-\u1cbf\u1e00-\u1fff\uff21-\uff3a\uff41-\uff5a]/

const SPACE = 0x20

/** Letters that have no decomposition, or are used for each other: the first as the second. */
const EQUIVALENTS = new Map(
  `ıi łl øo đd ßs ςσ ёе أا إا آا ٱا ىي یي کك ةه ۀه ھه ۃه ؤو ʻ' ʼ' ‘' ’' -- ‐- ‑- –- —- ãã`
    .split(' ')
    .map(([letter = '', equivalent = '']) => [letter, equivalent] as const),
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
    if (NOTHING.test(sign)) return KIND.nothing
    if (/[\s\u0085]/.test(sign)) return KIND.space
    if (/\p{Nd}/u.test(sign)) return KIND.digit
    if (!/[\p{L}\p{M}]/u.test(sign)) return KIND.other
    if (JOINED.test(sign)) return KIND.joined
    return PREFIXING.test(sign) ? KIND.prefixing : KIND.letter
  })
}

function makeFolded(): Uint16Array {
  const folded = Uint16Array.from({ length: 0x10000 }, (_, code) =>
    CASED.test(String.fromCharCode(code)) ? foldLetter(code) : code,
  )
  for (const [letter, equivalent] of EQUIVALENTS) {
    folded[letter.charCodeAt(0)] = equivalent === '-' ? SPACE : equivalent.charCodeAt(0)
  }
  let digit = 0
  for (const [code, kind] of KINDS.entries()) {
    if (kind === KIND.nothing) folded[code] = 0
    else if (kind === KIND.space) folded[code] = SPACE
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
