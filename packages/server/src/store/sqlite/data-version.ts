import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * A number that stays the same exactly as long as no query can have another result.
 *
 * `pragma data_version` tells whether any other connection, of this process or another one, has
 * committed; it looks into the file's shared memory at each call. The writes of its own connection
 * it does not count, so the driver does.
 */
export class DataVersion {
  readonly #statement: StatementSync
  #ofOthers: unknown = null
  #number = 0

  constructor(database: DatabaseSync) {
    this.#statement = database.prepare('pragma data_version')
    this.#statement.setReturnArrays(true)
  }

  /** To be called for everything that may change what this connection reads. */
  count(): void {
    this.#number += 1
  }

  /** The number now; null when SQLite does not tell, as while the file is locked. */
  read(): number | null {
    try {
      // Arrays, which the types do not know.
      const [ofOthers] = this.#statement.get() as unknown as readonly [number]
      if (ofOthers !== this.#ofOthers) {
        this.#ofOthers = ofOthers
        this.#number += 1
      }
      return this.#number
    } catch {
      return null
    }
  }
}
