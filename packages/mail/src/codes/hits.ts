import { Dictionary } from './dictionary.ts'
import { FOLDED, KIND, KINDS } from './fold.ts'
import { endOfAddress } from './tokens.ts'
import { bitsOf } from './words/concepts.ts'

/** A word or phrase with a meaning. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** The meanings, as bits. */
  readonly concepts: number
}

/** Letters that Arabic and Hebrew glue to the front of a word: and, the, in, for, from, that. */
const PREFIXES = new Set(Array.from('وفبكلاسהובלמשכ', (letter) => letter.charCodeAt(0)))

/** How many such letters a word may begin with: and-for-the makes three, and one to spare. */
const PREFIXES_MAX = 4

/** A word of fewer letters is no compound. */
const COMPOUND_WORD_MIN = 6

/** The numero sign is a word in itself. */
const NUMERO = 0x2116

/** What needs no look at its last part. */
const CODES = bitsOf('code', 'otp', 'pin', 'password')

const DICTIONARY = new Dictionary()

/** All words with a meaning in the text, in order, none inside another but for compounds. */
export function findHits(text: string): readonly Hit[] {
  const hits: Hit[] = []
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const kind = KINDS[code]
    if (kind === KIND.letter || code === NUMERO) at = wordHit(text, at, hits)
    else if (kind === KIND.joined) at = joinedHit(text, at, hits)
    else if (kind === KIND.prefixing) at = prefixedHit(text, at, hits)
    else at += 1
  }
  return hits
}

function joinedHit(text: string, start: number, hits: Hit[]): number {
  const concepts = DICTIONARY.matchAt(text, start)
  if (concepts === 0) return start + 1
  const end = DICTIONARY.edge
  hits.push({ start, end, concepts })
  return end
}

function wordHit(text: string, start: number, hits: Hit[]): number {
  const wordStop = wordEnd(text, start + 1)
  const address = endOfAddress(text, start, wordStop)
  if (address > 0) return address
  const concepts = DICTIONARY.matchAt(text, start)
  let last = start
  let end = wordStop
  if (concepts !== 0) {
    if (DICTIONARY.edge > wordStop) {
      end = wordEnd(text, DICTIONARY.edge)
      last = lastWord(text, start, end)
    }
    hits.push({ start, end, concepts })
  }
  if (end - last >= COMPOUND_WORD_MIN && (concepts & CODES) === 0) {
    const ending = DICTIONARY.matchEnding(text, last, end)
    const isNew = ending !== 0 && (concepts & ending) === 0
    if (isNew) hits.push({ start: DICTIONARY.edge, end, concepts: ending })
  }
  return end
}

function lastWord(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWordPart(KINDS[text.charCodeAt(at - 1)] ?? 0)) at -= 1
  return at
}

function prefixedHit(text: string, start: number, hits: Hit[]): number {
  for (let at = start; at <= start + PREFIXES_MAX && at < text.length; at += 1) {
    const concepts = DICTIONARY.matchAt(text, at)
    if (concepts !== 0) {
      const end = wordEnd(text, DICTIONARY.edge)
      hits.push({ start: at, end, concepts })
      return end
    }
    if (!PREFIXES.has(FOLDED[text.charCodeAt(at)] ?? 0)) break
  }
  return wordEnd(text, start + 1)
}

/** Where the word that reaches here ends. */
function wordEnd(text: string, start: number): number {
  let at = start
  while (at < text.length && isWordPart(KINDS[text.charCodeAt(at)] ?? 0)) at += 1
  return at
}

function isWordPart(kind: number): boolean {
  return kind === KIND.letter || kind === KIND.prefixing || kind === KIND.nothing
}
