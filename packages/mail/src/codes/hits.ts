import { codeAt } from '../text/code-at.ts'
import { BIT, bitsOf } from './concepts.ts'
import { Dictionary } from './dictionary.ts'
import { FOLDED, KIND, KINDS } from './fold.ts'
import { endOfAddress } from './tokens.ts'

/** A word or phrase of the tables, with its place in a text. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** Its meanings, as bits. */
  readonly concepts: number
}

/** Letters that Arabic and Hebrew prefix to a word: and, the, in, for, from, that. */
const PREFIXES = new Set(Array.from('وفبكلاسהובלמשכ', (letter) => letter.charCodeAt(0)))

/** Prefixes of one word: "and for the" are three. */
const PREFIXES_MAX = 4

/** Letters of a compound word. */
const COMPOUND_WORD_MIN = 6

/** The numero sign counts as a word. */
const NUMERO = 0x2116

/** Words with these meanings are not searched for a last part. */
const CODES = bitsOf('code', 'otp', 'pin', 'password')

let known: Dictionary | null = null

/** Made for the first mail: it takes as long as some hundred mails. */
function dictionary(): Dictionary {
  known ??= new Dictionary()
  return known
}

/** The words with a meaning, in order; only the last part of a compound overlaps another. */
export function findHits(text: string): Hit[] {
  const hits: Hit[] = []
  const { length } = text
  let at = 0
  while (at < length) {
    const code = codeAt(text, at)
    const kind = KINDS[code]
    if (kind === KIND.letter || code === NUMERO) at = wordHit(text, at, hits)
    else if (kind === KIND.joined) at = joinedHit(text, at, hits)
    else if (kind === KIND.prefixing) at = prefixedHit(text, at, hits)
    else at += 1
  }
  return hits
}

function joinedHit(text: string, start: number, hits: Hit[]): number {
  const words = dictionary()
  const concepts = words.matchAt(text, start)
  if (concepts === 0) return start + 1
  const end = words.edge
  hits.push({ start, end, concepts })
  return end
}

function wordHit(text: string, start: number, hits: Hit[]): number {
  const wordStop = wordEnd(text, start + 1)
  const address = isInitial(text, start, wordStop) ? 0 : endOfAddress(text, start, wordStop)
  if (address > 0) return address
  const words = dictionary()
  const concepts = words.matchAt(text, start)
  let last = start
  let end = wordStop
  if (concepts !== 0) {
    if (words.edge > wordStop) {
      end = wordEnd(text, words.edge)
      last = lastWord(text, start, end)
    }
    hits.push({ start, end, concepts })
    // `mit Leerzeichen` is no reference, which `zeichen` would be at the end of an unknown word.
    if (end > wordStop && (concepts & BIT.enter) !== 0) return end
  }
  if (end - last >= COMPOUND_WORD_MIN && (concepts & CODES) === 0) {
    const ending = words.matchEnding(text, last, end)
    const isNew = ending !== 0 && (concepts & ending) === 0
    if (isNew) hits.push({ start: words.edge, end, concepts: ending })
  }
  return end
}

/** `z` in `z.B.`, which is no address. */
function isInitial(text: string, start: number, end: number): boolean {
  return end === start + 1 && text.charAt(end) === '.' && text.charAt(end + 2) === '.'
}

function lastWord(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWordPart(KINDS[codeAt(text, at - 1)] ?? KIND.other)) at -= 1
  return at
}

function prefixedHit(text: string, start: number, hits: Hit[]): number {
  const words = dictionary()
  for (let at = start; at <= start + PREFIXES_MAX && at < text.length; at += 1) {
    const concepts = words.matchAt(text, at)
    if (concepts !== 0) {
      const end = wordEnd(text, words.edge)
      hits.push({ start: at, end, concepts })
      return end
    }
    if (!PREFIXES.has(FOLDED[codeAt(text, at)] ?? 0)) break
  }
  return wordEnd(text, start + 1)
}

/** Where the word at this position ends. */
function wordEnd(text: string, start: number): number {
  const { length } = text
  let at = start
  while (at < length && isWordPart(KINDS[codeAt(text, at)] ?? KIND.other)) at += 1
  return at
}

function isWordPart(kind: number): boolean {
  return kind === KIND.letter || kind === KIND.prefixing || kind === KIND.nothing
}
