import { codeAt } from '../text/code-at.ts'
import { FOLDED, foldWord, KIND, KINDS } from './fold.ts'
import { NOWHERE, ROOT, type Trie, TrieBuilder } from './trie.ts'
import { ACCOUNTS } from './words/accounts.ts'
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
import { OTHER_CODES } from './words/other-codes.ts'
import { PURPOSES } from './words/purposes.ts'
import { RIGHT_TO_LEFT } from './words/right-to-left.ts'
import { ROMANCE } from './words/romance.ts'
import { SETTLED } from './words/settled.ts'
import { SLAVIC } from './words/slavic.ts'
import { SOUTHERN } from './words/southern.ts'
import { SPELLING } from './words/spelling.ts'
import { SUBJECT_LINE } from './words/subject-line.ts'
import { VERBS } from './words/verbs.ts'

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

/** With the tables that are for all languages together. */
const ALL_WORDS: Lexicon = {
  ...WORDS,
  ...DOCUMENTS,
  ...ACCOUNTS,
  ...OTHER_CODES,
  ...SETTLED,
  ...VERBS,
  ...SUBJECT_LINE,
  ...SPELLING,
  ...PURPOSES,
}

/** Letters before the last part of a compound. */
const COMPOUND_CHARS_MIN = 2

const SPACE = 0x20

/** Phrases with these meanings that contain a word for code, `this code`, mean a code as well. */
const WITH_CODE = bitsOf('enter', 'login', 'once', 'verify')

/** The words by their beginnings, and the last parts of compounds by their endings. */
interface Tries {
  readonly forward: TrieBuilder
  readonly backward: TrieBuilder
}

/** Finds the words of all languages in a text. */
export class Dictionary {
  readonly #forward: Trie
  readonly #backward: Trie
  // Meanings by entry: of the forward trie, and in the last table of the backward trie.
  readonly #whole: number[] = [0]
  readonly #anyEnding: number[] = [0]
  readonly #capitals: number[] = [0]
  readonly #anyBeginning: number[] = [0]
  #edge = 0
  #isCapital = false

  constructor() {
    const tries = { forward: new TrieBuilder(), backward: new TrieBuilder() }
    for (const language of Object.values(ALL_WORDS)) {
      const codeWords = codeWordsOf(language)
      for (const concept of CONCEPTS) {
        const own = BIT[concept]
        const named = (own & WITH_CODE) === 0 ? [] : codeWords
        for (const entry of entriesOf(language[concept])) {
          this.#add(tries, entry, own | codeIn(entry, named))
        }
      }
    }
    this.#forward = tries.forward.finish()
    this.#backward = tries.backward.finish()
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
    const { length } = text
    for (let at = start; at < length; at += 1) {
      const code = FOLDED[codeAt(text, at)] ?? 0
      if (code === 0 || (code === SPACE && wasSpace)) continue
      node = this.#forward.step(node, code)
      if (node === NOWHERE) break
      wasSpace = code === SPACE
      const entry = this.#forward.entryAt(node)
      if (entry === 0) continue
      const concepts = this.#endsAt(entry, text, at + 1)
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
      const code = FOLDED[codeAt(text, at)] ?? 0
      if (code === 0) continue
      node = this.#backward.step(node, code)
      if (node === NOWHERE) break
      const concepts = this.#anyBeginning[this.#backward.entryAt(node)] ?? 0
      if (concepts !== 0) {
        found = concepts
        this.#edge = at
      }
    }
    return found
  }

  #add(tries: Tries, written: string, concepts: number): void {
    const folded = foldWord(written.replaceAll(/[*^]/g, ''))
    if (written.startsWith('*')) {
      const entry = tries.backward.add([...folded].reverse().join(''))
      const meant = concepts === BIT.code ? BIT.compound : concepts
      this.#anyBeginning[entry] = (this.#anyBeginning[entry] ?? 0) | meant
      return
    }
    const entry = tries.forward.add(folded)
    this.#whole[entry] ??= 0
    this.#anyEnding[entry] ??= 0
    this.#capitals[entry] ??= 0
    const table = this.#tableOf(written)
    table[entry] = (table[entry] ?? 0) | concepts
  }

  #tableOf(written: string): number[] {
    if (written.startsWith('^')) return this.#capitals
    return written.endsWith('*') ? this.#anyEnding : this.#whole
  }

  #endsAt(entry: number, text: string, end: number): number {
    const open = this.#anyEnding[entry] ?? 0
    const whole = this.#whole[entry] ?? 0
    const capitals = this.#capitals[entry] ?? 0
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
  if (codeWords.length === 0 || !phrase.includes(' ')) return 0
  const words = phrase.split(' ').map((word) => foldWord(word.replaceAll('*', '')))
  return codeWords
    .filter(({ folded, hasAnyEnding }) =>
      words.some((word) => (hasAnyEnding ? word.startsWith(folded) : word === folded)),
    )
    .reduce((all, { concepts }) => all | concepts, 0)
}

function isWordEnd(text: string, end: number): boolean {
  if (KINDS[codeAt(text, end - 1)] === KIND.joined) return true
  const { length } = text
  for (let at = end; at < length; at += 1) {
    const next = KINDS[codeAt(text, at)]
    if (next !== KIND.nothing) return next !== KIND.letter && next !== KIND.prefixing
  }
  return true
}

function isCapital(text: string, at: number): boolean {
  const code = codeAt(text, at)
  return code >= 0x41 && code <= 0x5a
}
