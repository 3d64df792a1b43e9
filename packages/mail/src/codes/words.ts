import { codeAt } from '../text/code-at.ts'
import { FOLDED, KIND, KINDS } from './fold.ts'
import { findHits, type Hit } from './hits.ts'
import type { Line } from './lines.ts'

/** The words of a line in flat arrays: where each begins and ends, and a hash of it. */
export interface Words {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly hashes: readonly number[]
}

/** What is read in a line. */
export interface ReadLine {
  readonly words: Words
  readonly hits: readonly Hit[]
  /** Where its sentences end. */
  readonly sentences: readonly number[]
}

/** Characters of a line whose words are read. */
const LINE_CHARS_MAX = 4_000

/** Reads the lines of a mail when they are asked for, equal ones once. */
export class MailText {
  readonly lines: readonly Line[]
  readonly #read: (ReadLine | undefined)[] = []

  constructor(lines: readonly Line[]) {
    this.lines = lines
  }

  /** What is read in the line at an index; nothing where there is none. */
  line(index: number): ReadLine {
    const line = this.lines[index]
    if (line === undefined) return NOTHING
    const known = this.#read[line.first]
    if (known !== undefined) return known
    const text = line.text.slice(0, LINE_CHARS_MAX)
    const read = { words: wordsOf(text), hits: findHits(text), sentences: sentencesOf(text) }
    this.#read[line.first] = read
    return read
  }
}

const NOTHING: ReadLine = { words: { starts: [], ends: [], hashes: [] }, hits: [], sentences: [] }

/** A step of the hash of a word; it stays a small integer, which needs no object. */
export function hashStep(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193) & 0x3fffffff
}

/** Where the hash of a word begins. */
export const HASH_START = 0x11c9dc5

/** A number is a word that says how many digits it has. */
const NUMBER_HASH = 0x2c1b3c6d
const NUMBER_DIGITS_MAX = 9

/** Whether a word is a number. */
export function isNumberHash(hash: number): boolean {
  return hash >= NUMBER_HASH && hash <= NUMBER_HASH + NUMBER_DIGITS_MAX
}

function wordsOf(text: string): Words {
  const words = { starts: [], ends: [], hashes: [] }
  const { length } = text
  for (let at = 0; at < length; ) {
    const kind = KINDS[codeAt(text, at)]
    if (kind === KIND.letter || kind === KIND.prefixing) at = addWord(text, at, words)
    else if (kind === KIND.joined) at = addJoined(text, at, words)
    else if (kind === KIND.digit) at = addNumber(text, at, words)
    else at += 1
  }
  return words
}

type Added = { readonly [list in keyof Words]: number[] }

function add({ starts, ends, hashes }: Added, hash: number, place: Place): number {
  starts.push(place.start)
  ends.push(place.end)
  hashes.push(hash)
  return place.end
}

type Place = { readonly start: number; readonly end: number }

function addWord(text: string, start: number, words: Added): number {
  const { length } = text
  let hash = HASH_START
  let at = start
  for (; at < length; at += 1) {
    const code = codeAt(text, at)
    const kind = KINDS[code]
    if (kind === KIND.nothing) continue
    if (kind !== KIND.letter && kind !== KIND.prefixing) break
    hash = hashStep(hash, FOLDED[code] ?? 0)
  }
  return add(words, hash, { start, end: at })
}

/** Where words have spaces between them: Korean, Ethiopic, the scripts of India. */
function hasSpaces(code: number): boolean {
  return code < 0xe00 || (code >= 0xac00 && code < 0xd7b0) || (code >= 0x1200 && code < 0x1380)
}

/** A whole word, or each two letters of a script without spaces. */
function addJoined(text: string, start: number, words: Added): number {
  const { length } = text
  const isWhole = hasSpaces(codeAt(text, start))
  let hash = HASH_START
  let before = 0
  let at = start
  for (; at < length; at += 1) {
    const code = codeAt(text, at)
    const kind = KINDS[code]
    if (kind === KIND.nothing) continue
    if (kind !== KIND.joined) break
    const folded = FOLDED[code] ?? 0
    if (isWhole) hash = hashStep(hash, folded)
    else if (before !== 0) {
      const both = hashStep(hashStep(HASH_START, before), folded)
      add(words, both, { start: at - 1, end: at + 1 })
    }
    before = folded
  }
  if (isWhole) add(words, hash, { start, end: at })
  else if (at === start + 1) add(words, hashStep(HASH_START, before), { start, end: at })
  return at
}

function addNumber(text: string, start: number, words: Added): number {
  const { length } = text
  let at = start + 1
  while (at < length && KINDS[codeAt(text, at)] === KIND.digit) at += 1
  return add(words, NUMBER_HASH + Math.min(at - start, NUMBER_DIGITS_MAX), { start, end: at })
}

const SENTENCE_END = /[.!?](?=\s)|[。！？।؟۔։።]|\s[–—|•·]\s/g

/** A sentence has more characters. */
const SENTENCE_CHARS_MIN = 3

function sentencesOf(text: string): readonly number[] {
  const ends: number[] = []
  let start = 0
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length
    if (end - start < SENTENCE_CHARS_MIN) continue
    ends.push(end)
    start = end
  }
  if (start < text.length || ends.length === 0) ends.push(text.length)
  return ends
}

/** Index of the first position of a sorted list from `from` on. */
export function firstFrom(positions: readonly number[], from: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((positions[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
