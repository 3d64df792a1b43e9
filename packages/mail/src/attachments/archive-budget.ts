import { inflateStart } from './inflate.ts'
import { HEAD_BYTES } from './magic.ts'

/** A file inside an archive. */
export interface ArchiveEntry {
  readonly name: string
  /** The beginning of its content; null if it is not read, or is that of another entry. */
  readonly head: Buffer | null
}

/** Work that an entry is, besides its name and its content. */
const ENTRY_WORK = 64

/** Work of examining the beginning of a content that is not compressed. */
const HEAD_WORK = 256

/** Bytes of a name that are read: the last ones, because its extension is there. */
const NAME_BYTES_MAX = 1_024

/**
 * What may still be read of an archive. A sender can let any number of entries name the same bytes,
 * and write blocks without content: without a bound, one small mail would take minutes.
 */
export class ArchiveBudget {
  #workLeft: number

  constructor(work: number) {
    this.#workLeft = work
  }

  /** Whether something was not read because the budget did not suffice. */
  get isExceeded(): boolean {
    return this.#workLeft < 0
  }

  /** Whether there is budget for this work; if not, nothing more is read. */
  spend(work: number): boolean {
    this.#workLeft -= work
    return !this.isExceeded
  }

  /** Gives up: what is left is more than is read of any archive. */
  exceed(): void {
    this.#workLeft = -1
  }

  /** Whether an entry with these bytes of names may be read. */
  spendEntry(nameBytes: number): boolean {
    return this.spend(ENTRY_WORK + nameBytes)
  }

  /** The beginning of a content; null when the budget does not suffice. */
  head(content: Buffer): Buffer | null {
    const head = content.subarray(0, HEAD_BYTES)
    return this.spend(HEAD_WORK + head.length) ? head : null
  }

  /** At most the first `maxBytes` of deflated data, and how much of the data was read for it. */
  inflate(data: Buffer, maxBytes: number): { readonly start: Buffer; readonly readBytes: number } {
    const workMax = Math.max(this.#workLeft, 0)
    const { start, work, isCut, readBytes } = inflateStart(data, {
      maxBytes: Math.min(maxBytes, workMax),
      workMax,
    })
    this.spend(work)
    if (isCut || (start.length === workMax && workMax < maxBytes)) this.exceed()
    return { start, readBytes }
  }
}

/**
 * The entries of one name. Programs written in C end it at its first NUL, and the extension that
 * counts for them is before it.
 */
export function* namedEntries(name: Buffer, head: Buffer | null): Generator<ArchiveEntry> {
  yield { name: lastCharacters(name), head }
  const end = name.indexOf(0)
  if (end >= 0) yield { name: lastCharacters(name.subarray(0, end)), head: null }
}

function lastCharacters(name: Buffer): string {
  return name.toString('utf8', Math.max(0, name.length - NAME_BYTES_MAX))
}
