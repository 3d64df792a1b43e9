import { FOLDED, foldWord, KIND, kindAt } from './fold.ts'
import { NODES_MAX, NOWHERE, ROOT, Trie } from './trie.ts'
import { AFRICAN } from './words/african.ts'
import { ASIAN } from './words/asian.ts'
import { CENTRAL_EUROPEAN } from './words/central.ts'
import { BIT, bitsOf, CONCEPTS, type Lexicon } from './words/concepts.ts'
import { DOCUMENTS } from './words/documents.ts'
import { EASTERN } from './words/eastern.ts'
import { ENGLISH } from './words/english.ts'
import { WEST_GERMANIC } from './words/germanic.ts'
import { IBERIAN } from './words/iberian.ts'
import { INDIC } from './words/indic.ts'
import { NORDIC } from './words/nordic.ts'
import { NORTHERN } from './words/northern.ts'
import { RIGHT_TO_LEFT } from './words/right-to-left.ts'
import { ROMANCE } from './words/romance.ts'
import { SLAVIC } from './words/slavic.ts'
import { SOUTHERN } from './words/southern.ts'

/** The words of all languages. A new language is a row in one of these files. */
export const WORDS: Lexicon = {
  ...ENGLISH,
  ...WEST_GERMANIC,
  ...NORDIC,
  ...ROMANCE,
  ...IBERIAN,
  ...SLAVIC,
  ...CENTRAL_EUROPEAN,
  ...NORTHERN,
  ...EASTERN,
  ...RIGHT_TO_LEFT,
  ...INDIC,
  ...ASIAN,
  ...SOUTHERN,
  ...AFRICAN,
}

/** Letters before the last part of a compound. */
const COMPOUND_CHARS_MIN = 2

const SPACE = 0x20

/** Phrases with these meanings that contain a word for code, `this code`, mean a code as well. */
const WITH_CODE = bitsOf('enter', 'login', 'once', 'verify')

/** Finds the words of all languages in a text. */
export class Dictionary {
  readonly #forward = new Trie()
  readonly #backward = new Trie()
  /** 1 at the last node of an entry: a small table, read at every step. */
  readonly #isEnd = new Uint8Array(NODES_MAX)
  readonly #whole = new Int32Array(NODES_MAX)
  readonly #anyEnding = new Int32Array(NODES_MAX)
  readonly #capitals = new Int32Array(NODES_MAX)
  readonly #anyBeginning = new Int32Array(NODES_MAX)
  #edge = 0
  #isCapital = false

  constructor() {
    for (const language of Object.values({ ...WORDS, ...DOCUMENTS })) {
      const codeWords = codeWordsOf(language)
      for (const concept of CONCEPTS) {
        const own = BIT[concept]
        const named = (own & WITH_CODE) === 0 ? [] : codeWords
        for (const entry of entriesOf(language[concept])) {
          this.#add(entry, own | codeIn(entry, named))
        }
      }
    }
  }

  /** The end of the last match; for the last part of a compound, its start. */
  get edge(): number {
    return this.#edge
  }

  /** Meanings of the longest entry that begins here; 0 for none. */
  matchAt(text: string, start: number): number {
    let node = ROOT
    let found = 0
    let wasSpace = false
    this.#isCapital = isCapital(text, start)
    for (let at = start; at < text.length; at += 1) {
      const code = FOLDED[text.charCodeAt(at)] ?? 0
      if (code === 0 || (code === SPACE && wasSpace)) continue
      node = this.#forward.step(node, code)
      if (node === NOWHERE) break
      wasSpace = code === SPACE
      if (this.#isEnd[node] === 0) continue
      const concepts = this.#endsAt(node, text, at + 1)
      if (concepts !== 0) {
        found = concepts
        this.#edge = at + 1
      }
    }
    return found
  }

  /** Meanings of the longest last part of a compound that the word ends in; 0 for none. */
  matchEnding(text: string, start: number, end: number): number {
    let node = ROOT
    let found = 0
    for (let at = end - 1; at >= start + COMPOUND_CHARS_MIN; at -= 1) {
      const code = FOLDED[text.charCodeAt(at)] ?? 0
      if (code === 0) continue
      node = this.#backward.step(node, code)
      if (node === NOWHERE) break
      const concepts = this.#anyBeginning[node] ?? 0
      if (concepts !== 0) {
        found = concepts
        this.#edge = at
      }
    }
    return found
  }

  #add(entry: string, concepts: number): void {
    const folded = foldWord(entry.replaceAll(/[*^]/g, ''))
    if (entry.startsWith('*')) {
      const node = this.#backward.add([...folded].reverse().join(''))
      const meant = concepts === BIT.code ? BIT.compound : concepts
      this.#anyBeginning[node] = (this.#anyBeginning[node] ?? 0) | meant
      return
    }
    const node = this.#forward.add(folded)
    this.#isEnd[node] = 1
    const table = this.#tableOf(entry)
    table[node] = (table[node] ?? 0) | concepts
  }

  #tableOf(entry: string): Int32Array {
    if (entry.startsWith('^')) return this.#capitals
    return entry.endsWith('*') ? this.#anyEnding : this.#whole
  }

  #endsAt(node: number, text: string, end: number): number {
    const open = this.#anyEnding[node] ?? 0
    const whole = this.#whole[node] ?? 0
    const capitals = this.#capitals[node] ?? 0
    if ((whole | capitals) === 0 || !isWordEnd(text, end)) return open
    return open | whole | (this.#isCapital ? capitals : 0)
  }
}

/** The entries of one row of a lexicon. */
export function entriesOf(row: string | undefined): readonly string[] {
  if (row === undefined) return []
  const entries = row.split(',').map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

/** A word for code of one language. */
interface CodeWord {
  readonly folded: string
  readonly hasAnyEnding: boolean
  readonly concepts: number
}

function codeWordsOf(language: Lexicon[string]): readonly CodeWord[] {
  return (['code', 'pin'] as const).flatMap((concept) =>
    entriesOf(language[concept]).map((entry) => ({
      folded: foldWord(entry.replaceAll('*', '')),
      hasAnyEnding: entry.endsWith('*'),
      concepts: BIT[concept],
    })),
  )
}

/** The meanings of the words for code in a phrase; 0 if it has none. */
function codeIn(phrase: string, codeWords: readonly CodeWord[]): number {
  const words = phrase.split(' ').map((word) => foldWord(word.replaceAll('*', '')))
  if (words.length < 2) return 0
  return codeWords
    .filter(({ folded, hasAnyEnding }) =>
      words.some((word) => (hasAnyEnding ? word.startsWith(folded) : word === folded)),
    )
    .reduce((all, { concepts }) => all | concepts, 0)
}

function isWordEnd(text: string, end: number): boolean {
  if (kindAt(text, end - 1) === KIND.joined) return true
  let at = end
  while (at < text.length && kindAt(text, at) === KIND.nothing) at += 1
  const next = kindAt(text, at)
  return at >= text.length || (next !== KIND.letter && next !== KIND.prefixing)
}

function isCapital(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x41 && code <= 0x5a
}
