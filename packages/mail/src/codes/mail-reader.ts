import type { ReadLine } from './context.ts'
import { findHits, type Hit } from './hits.ts'
import type { Line } from './line.ts'

/** The lines of a mail, whose words are read when they are first asked for. */
export class MailReader {
  readonly #lines: readonly Line[]
  readonly #read: (ReadLine | undefined)[]
  /** The text part says most lines of the HTML once more. */
  readonly #hitsOfText = new Map<string, readonly Hit[]>()

  constructor(lines: readonly Line[]) {
    this.#lines = lines
    this.#read = new Array<ReadLine | undefined>(lines.length)
  }

  /** The line at an index; undefined where there is none. */
  line(index: number): ReadLine | undefined {
    const known = this.#read[index]
    if (known !== undefined) return known
    const line = this.#lines[index]
    if (line === undefined) return undefined
    const read = this.#readLine(line)
    this.#read[index] = read
    return read
  }

  /** All lines. */
  all(): readonly ReadLine[] {
    return this.#lines.map((line, index) => this.line(index) ?? this.#readLine(line))
  }

  #readLine({ text, source, stretches, cell, isCentred, isJoined }: Line): ReadLine {
    const hits = this.#hitsOfText.get(text) ?? findHits(text)
    this.#hitsOfText.set(text, hits)
    let concepts = 0
    for (const hit of hits) concepts |= hit.concepts
    return { text, source, stretches, cell, isCentred, isJoined, hits, concepts }
  }
}
