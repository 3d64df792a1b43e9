import { codeAt } from '../text/code-at.ts'
import { BIT, CONCEPTS, type Concept } from './concepts.ts'
import { readWordFiles } from './data-files.ts'
import { FOLDED, foldWord, KIND, KINDS } from './fold.ts'
import { NOWHERE, Trie } from './trie.ts'

/** The words of one language by meaning: comma-separated words and phrases. */
export type WordTable = Readonly<Partial<Record<Concept, string>>>

/**
 * The words of all languages, from the files in words/: one for a language, and those that begin
 * with `all-` for all languages together. A line is a meaning and its words, in any spelling that
 * folding makes equal. `*` after a word stands for any ending, before it for any beginning; `^`
 * requires capitals. A phrase with a word for code, `this code`, has that meaning as well.
 */
export function readWords(): ReadonlyMap<string, WordTable> {
  return new Map(Array.from(readWordFiles(), ([name, text]) => [name, tableOf(name, text)]))
}

function tableOf(name: string, text: string): WordTable {
  const table: Partial<Record<Concept, string>> = {}
  for (const line of text.split('\n')) {
    if (line === '') continue
    const at = line.indexOf(': ')
    const concept = CONCEPTS.find((one) => one === line.slice(0, at))
    if (concept === undefined || table[concept] !== undefined) {
      throw new Error(`words/${name}.txt has a line of no meaning, or a second of one: ${line}`)
    }
    table[concept] = line.slice(at + 2)
  }
  return table
}

/** Letters before the last part of a compound. */
const COMPOUND_CHARS_MIN = 2

const SPACE = 0x20

/** Finds the words of all languages in a text. */
export class Dictionary {
  /** The words by their beginnings, and the last parts of compounds by their endings. */
  readonly #forward = new Trie(19)
  readonly #backward = new Trie(14)
  // Meanings by entry: of the forward trie, and in the last table of the backward trie.
  readonly #whole: number[] = [0]
  readonly #anyEnding: number[] = [0]
  readonly #capitals: number[] = [0]
  readonly #anyBeginning: number[] = [0]
  #edge = 0
  #isCapital = false

  constructor() {
    for (const language of readWords().values()) {
      for (const concept of CONCEPTS) {
        for (const entry of entriesOf(language[concept])) this.#add(entry, BIT[concept])
      }
    }
  }

  /** The end of the last match; for the last part of a compound, its start. */
  get edge(): number {
    return this.#edge
  }

  /** Meanings of the longest entry that begins here; 0 for none. */
  matchAt(text: string, start: number): number {
    let node = this.#forward.root
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
    let node = this.#backward.root
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

  #add(written: string, concepts: number): void {
    const folded = foldWord(written.replaceAll(/[*^]/g, ''))
    if (written.startsWith('*')) {
      const entry = this.#backward.add([...folded].reverse().join(''))
      const meant = concepts === BIT.code ? BIT.compound : concepts
      this.#anyBeginning[entry] = (this.#anyBeginning[entry] ?? 0) | meant
      return
    }
    const entry = this.#forward.add(folded)
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
