import type { Compilable, DialectAdapter, Kysely } from 'kysely'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

/** A database, or a transaction, and its statements. */
export type Access = { readonly db: Kysely<Schema>; readonly statements: Statements }

/** Stands for a value while the query is built. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

type Compiled = { readonly sql: string; readonly parameters: readonly unknown[] }

/**
 * A query that is built and compiled once a database: both take several times as long as running
 * it. `build` must give the same text for all values, so no value may be a list.
 */
export function compiledOnce<Given extends Readonly<Record<string, string | number>>, Row>(
  build: (db: Kysely<Schema>, given: Given) => Compilable<Row>,
): (access: Access, given: Given) => Promise<readonly Row[]> {
  const byDatabase = new WeakMap<DialectAdapter, Compiled>()
  const compile = (db: Kysely<Schema>, given: Given): Compiled => {
    const places = Object.keys(given).map((name) => [name, new Placeholder(name)])
    // The query builder passes on a value as it is.
    return build(db, Object.fromEntries(places) as Given).compile()
  }
  return ({ db, statements }, given) => {
    const { adapter } = db.getExecutor()
    const compiled = byDatabase.get(adapter) ?? compile(db, given)
    byDatabase.set(adapter, compiled)
    const values = compiled.parameters.map((one) =>
      one instanceof Placeholder ? given[one.name] : one,
    )
    return statements.run<Row>(compiled.sql, values)
  }
}
