import { codeAt } from '../text/code-at.ts'
import { bindWords, freeWords, type PlacedWord } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { Dictionary } from './dictionary.ts'
import { FOLDED, KIND, KINDS, kindAt } from './fold.ts'
import type { Line } from './lines.ts'
import { SIGN } from './signs.ts'
import { endOfAddress } from './tokens.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** A line with the meanings of its words. */
export interface ReadLine extends Line {
  readonly hits: readonly PlacedWord[]
  /** For each hit the start of the number that it names, or `FREE`. */
  readonly owners: readonly number[]
  /** All meanings in the line. */
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

/** The lines of a mail with the meanings of their words. */
export class MailReader {
  /** All lines in order. */
  readonly lines: readonly ReadLine[]

  /** With `isKnown` only some words of the tables are known, as in a mail of an unseen sender. */
  constructor(
    lines: readonly Line[],
    candidates: readonly Candidate[],
    isKnown: ((word: string) => boolean) | null = null,
  ) {
    // By the first line with the same text.
    const known: (ReadText | undefined)[] = []
    // Lines with candidates first: what is read there counts for all lines with the same text.
    for (let at = 0; at < candidates.length; ) {
      const end = endOfLine(candidates, at)
      const line = lines[candidates[at]?.line ?? 0]
      if (line !== undefined && known[line.first] === undefined) {
        known[line.first] = readText(line, candidates.slice(at, end), isKnown)
      }
      at = end
    }
    // Without candidates only the places of the digits matter.
    const alike: (ReadText | undefined)[] = []
    this.lines = lines.map((line) => {
      const read = known[line.first] ?? alike[line.alike] ?? readText(line, NONE, isKnown)
      if (known[line.first] === undefined) alike[line.alike] = read
      return withWords(line, read)
    })
  }

  /** The line at an index, if there is one. */
  line(index: number): ReadLine | undefined {
    return this.lines[index]
  }
}

/** Where the candidates of the line of this one end: they are in the order of the lines. */
function endOfLine(candidates: readonly Candidate[], start: number): number {
  const line = candidates[start]?.line
  let end = start + 1
  while (end < candidates.length && candidates[end]?.line === line) end += 1
  return end
}

function withWords(line: Line, { hits, owners, concepts }: ReadText): ReadLine {
  const { text, signs, source, stretches, cell, isCentred, isJoined, first, alike } = line
  return {
    text,
    signs,
    source,
    stretches,
    cell,
    isCentred,
    isJoined,
    first,
    alike,
    hits,
    owners,
    concepts,
  }
}

type ReadText = Pick<ReadLine, 'hits' | 'owners' | 'concepts'>

const NONE: readonly Candidate[] = []

const NO_WORDS: ReadText = { hits: [], owners: [], concepts: 0 }

const LETTERS = SIGN.capital | SIGN.small | SIGN.foreign

function readText(
  { text, signs }: Line,
  candidates: readonly Candidate[],
  isKnown: ((word: string) => boolean) | null,
): ReadText {
  // Prices and dates have no words.
  if ((signs & LETTERS) === 0) return NO_WORDS
  const mixed = candidates.length === 0 ? NONE : candidates.filter(isMixed)
  const hits = findHits(text)
  let concepts = 0
  let kept = 0
  // What is kept moves up in the same array: nearly all words are.
  for (const hit of hits) {
    if (isInNumber(hit, mixed) || isEnding(text, hit)) continue
    if (isKnown !== null && !isKnown(text.slice(hit.start, hit.end))) continue
    if (isWhereToEnter(hits[kept - 1], hit) || isBrand(text, hit)) continue
    hits[kept] = hit
    kept += 1
    concepts |= hit.concepts
  }
  if (kept < hits.length) hits.length = kept
  const hasValue = candidates.length > 0 || mayHaveDigit(signs)
  const owners = hasValue ? bindWords(text, hits, candidates) : freeWords(hits.length)
  return { hits, owners, concepts }
}

function isMixed({ shape }: Candidate): boolean {
  return shape === 'mixed'
}

/** Whether a line may have a digit of any script: most have none. */
function mayHaveDigit(signs: number): boolean {
  return (signs & SIGN.prose) === 0 && (signs & (SIGN.digit | SIGN.foreign)) !== 0
}

/** `Example App`, with which a mail is signed. */
const BRAND = /^\p{Lu}\p{Ll}+ \p{Lu}/u
const BRAND_CHARS = 40

function isBrand(text: string, { start, concepts }: PlacedWord): boolean {
  return concepts === BIT.example && BRAND.test(text.slice(start, start + BRAND_CHARS))
}

/** `on the phone` in `type on the phone: 8FD2-KX9M`, where nothing was sent to. */
function isWhereToEnter(verb: PlacedWord | undefined, { start, concepts }: PlacedWord): boolean {
  if (verb === undefined || concepts !== BIT.elsewhere) return false
  return (verb.concepts & BIT.enter) !== 0 && start - verb.end <= 1
}

/** `N` in the code `N3PT70`. */
function isInNumber({ start, end }: PlacedWord, mixed: readonly Candidate[]): boolean {
  if (mixed.length === 0) return false
  return mixed.some((candidate) => candidate.start <= start && end <= candidate.end)
}

/** `tür` in `518064'tür`. */
function isEnding(text: string, { start }: PlacedWord): boolean {
  return kindAt(text, start - 2) === KIND.digit && "'’".includes(text.charAt(start - 1))
}

/** The words with a meaning, in order; only the last part of a compound overlaps another. */
export function findHits(text: string): PlacedWord[] {
  const hits: PlacedWord[] = []
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

function joinedHit(text: string, start: number, hits: PlacedWord[]): number {
  const words = dictionary()
  const concepts = words.matchAt(text, start)
  if (concepts === 0) return start + 1
  const end = words.edge
  hits.push({ start, end, concepts })
  return end
}

function wordHit(text: string, start: number, hits: PlacedWord[]): number {
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

function prefixedHit(text: string, start: number, hits: PlacedWord[]): number {
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
