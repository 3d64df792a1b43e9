import type { Dialect } from '../dialect.ts'
import type { Statements } from '../statements.ts'

/**
 * How far the mails of each spool are stored. It is written in the transaction of the mails, so
 * that a mail that is still in a spool after a crash is stored once.
 */
export class Spools {
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(dialect: Dialect, statements: Statements) {
    this.#dialect = dialect
    this.#statements = statements
  }

  /** The number of the last mail of a spool that was stored; 0 before the first. */
  async storedTo(name: string): Promise<number> {
    const [row] = await this.#statements.run<{ stored_to: number }>(
      `select stored_to from spool where name = ${this.#dialect.placeholder(1)}`,
      [name],
    )
    return row?.stored_to ?? 0
  }

  /** Notes that the mails of a spool up to this one are stored. */
  async setStoredTo(name: string, sequence: number): Promise<void> {
    const [first, second] = [this.#dialect.placeholder(1), this.#dialect.placeholder(2)]
    await this.#statements.run(
      `insert into spool (name, stored_to) values (${first}, ${second})
       on conflict (name) do update set stored_to = excluded.stored_to`,
      [name, sequence],
    )
  }
}
