import type { Dialect } from '../dialect.ts'
import type { Statements } from '../statements.ts'

/** Which mails of a spool are stored, by their numbers. */
export type StoredOfSpool = {
  /** All up to this one; 0 before the first. */
  readonly to: number
  /** These, too. */
  readonly beyond: readonly number[]
}

/**
 * Which mails of each spool are stored. It is written in the transaction of the mails, so that a
 * mail that is still in a spool after a crash is stored once.
 */
export class SpoolFiles {
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(dialect: Dialect, statements: Statements) {
    this.#dialect = dialect
    this.#statements = statements
  }

  /** The mails of a spool that are stored. */
  async find(name: string): Promise<StoredOfSpool> {
    const [row] = await this.#statements.run<{ stored_to: number; beyond: string }>(
      `select stored_to, beyond from spool where name = ${this.#dialect.placeholder(1)}`,
      [name],
    )
    // Only `set` writes it.
    return { to: row?.stored_to ?? 0, beyond: JSON.parse(row?.beyond ?? '[]') as number[] }
  }

  /** Notes which mails of a spool are stored. */
  async set(name: string, { to, beyond }: StoredOfSpool): Promise<void> {
    const [first, second, third] = [1, 2, 3].map((number) => this.#dialect.placeholder(number))
    await this.#statements.run(
      `insert into spool (name, stored_to, beyond) values (${first}, ${second}, ${third})
       on conflict (name) do update set stored_to = excluded.stored_to, beyond = excluded.beyond`,
      [name, to, JSON.stringify(beyond)],
    )
  }
}
