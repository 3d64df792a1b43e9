import { type ReadLine, readLine } from './context.ts'
import type { Line } from './line.ts'

/** The lines of a mail, whose words are read when they are first asked for. */
export class MailReader {
  readonly #lines: readonly Line[]
  readonly #read: ReadLine[] = []

  constructor(lines: readonly Line[]) {
    this.#lines = lines
  }

  /** The line at an index; undefined where there is none. */
  line(index: number): ReadLine | undefined {
    const known = this.#read[index]
    if (known !== undefined) return known
    const line = this.#lines[index]
    if (line === undefined) return undefined
    const read = readLine(line)
    this.#read[index] = read
    return read
  }

  /** All lines. */
  all(): readonly ReadLine[] {
    return this.#lines.map((line, index) => this.line(index) ?? readLine(line))
  }
}
