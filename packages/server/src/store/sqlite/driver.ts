import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { changesRows } from '../change.ts'
import type { LoopYields } from './loop-yields.ts'

/** Prepared statements that are cached. The store has about a hundred, some in several forms. */
const STATEMENTS_MAX = 500

type Prepared = {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  readonly changesRows: boolean
}

/** The rows of a statement, or the number of changes of one that has no rows. */
type Ran<Row> = { readonly rows: Row[]; readonly changes: number | bigint | null }

/** The parts that a driver and its connection use. */
export type DriverOptions = {
  readonly database: DatabaseSync
  readonly turns: LoopYields | null
}

/** Kysely's driver for node:sqlite: one connection, statements prepared once. */
export class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #connection: SqliteConnection
  readonly #turns: LoopYields | null

  constructor(connection: SqliteConnection, { database, turns }: DriverOptions) {
    this.#database = database
    this.#connection = connection
    this.#turns = turns
  }

  async init(): Promise<void> {}

  /** Once a query, and once a transaction: within one, others would wait for its lock. */
  async acquireConnection(): Promise<DatabaseConnection> {
    const next = this.#turns?.next() ?? null
    if (next !== null) await next
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    // Immediate: otherwise a transaction that reads first and writes later fails when another one
    // has written in between, instead of waiting for it.
    const begin = () => this.#database.exec('begin immediate')
    if (this.#turns === null) begin()
    else await this.#turns.whenFree(begin)
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit')
  }

  async rollbackTransaction(): Promise<void> {
    // After a full disk, SQLite has rolled back already.
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close()
  }
}

/** The one connection of a thread. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #turns: LoopYields | null
  readonly #prepared = new Map<string, Prepared>()
  #synced: (() => Promise<void>) | null = null

  constructor({ database, turns }: DriverOptions) {
    this.#database = database
    this.#turns = turns
  }

  /** From now on, a change outside of a transaction resolves when this has. */
  syncChangesBy(synced: () => Promise<void>): void {
    this.#synced = synced
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.runWhenFree<R>(query.sql, query.parameters)
    return changes === null ? { rows } : { rows, numAffectedRows: BigInt(changes) }
  }

  /** Runs one statement; outside of a transaction, another thread may be writing. */
  runWhenFree<Row>(sql: string, parameters: readonly unknown[]): Ran<Row> | Promise<Ran<Row>> {
    const run = () => this.run<Row>(sql, parameters)
    if (this.#database.isTransaction) return run()
    const ran = this.#turns === null ? run() : this.#turns.whenFree(run)
    const synced = this.#synced
    if (synced === null || !this.#prepare(sql).changesRows) return ran
    return Promise.resolve(ran).then(async (result) => {
      await synced()
      return result
    })
  }

  /** Runs one statement; returns its rows, or the number of changes when it has no rows. */
  run<Row>(sql: string, given: readonly unknown[]): Ran<Row> {
    const { statement, returnsRows } = this.#prepare(sql)
    // Typed as unknown by Kysely; our columns have only types that SQLite accepts.
    const parameters = given as SQLInputValue[]
    // The caller is responsible for the row type of its query.
    if (returnsRows) return { rows: statement.all(...parameters) as Row[], changes: null }
    return { rows: [], changes: statement.run(...parameters).changes }
  }

  streamQuery(): never {
    throw new Error('Streaming is not supported: every query has a limit.')
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    if (this.#prepared.size >= STATEMENTS_MAX) {
      const [oldest] = this.#prepared.keys()
      if (oldest !== undefined) this.#prepared.delete(oldest)
    }
    const statement = this.#database.prepare(sql)
    const returnsRows = statement.columns().length > 0
    const prepared = { statement, returnsRows, changesRows: changesRows(sql) }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
