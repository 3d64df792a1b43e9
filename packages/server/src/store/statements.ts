import { CompiledQuery, type Insertable, type Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'

/**
 * Runs statements that are written by hand, past the query builder: when a mail is stored, building
 * and compiling one would take longer than running it.
 */
export type Statements = {
  /** The rows of the result; the caller is responsible for their type. */
  run<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>
}

/** Statements on the connection of a query builder. */
export function statementsOver(db: Kysely<Schema>): Statements {
  return {
    run: async <Row>(sql: string, parameters: readonly unknown[]) =>
      (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows,
  }
}

/** A statement that takes many rows of values. */
export type RowsStatement = {
  /** Unique: the text is cached by name, dialect and number of rows. */
  readonly name: string
  /** The statement, around `values` of the form `(…), (…)`. */
  readonly sql: (values: string) => string
  /** For each value of a row, the expression around its placeholder. */
  readonly values: readonly ((placeholder: string) => string)[]
}

const unchanged = (placeholder: string) => placeholder

/** Writes many rows of one table. */
export async function insertRows<Table extends keyof Schema>(
  statements: Statements,
  dialect: Dialect,
  into: { readonly table: Table; readonly rows: readonly Insertable<Schema[Table]>[] },
): Promise<void> {
  const [first] = into.rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const names = columns.map((column) => `"${column}"`).join(', ')
  await executeRows(
    { statements, dialect },
    {
      name: into.table,
      sql: (values) => `insert into "${into.table}" (${names}) values ${values}`,
      values: columns.map(() => unchanged),
    },
    // All rows are made by one function, so that they have the same columns in the same order.
    into.rows.map((row) => Object.values(row as Record<string, unknown>)),
  )
}

/** Runs a statement for many rows, in as few calls as the dialect allows. */
export async function executeRows(
  { statements, dialect }: { readonly statements: Statements; readonly dialect: Dialect },
  statement: RowsStatement,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  let done = 0
  while (done < rows.length) {
    const count = dialect.rowsPerCall(rows.length - done)
    const sql = rowsSql(dialect, statement, count)
    await statements.run(sql, rows.slice(done, done + count).flat())
    done += count
  }
}

const cachedSql = new Map<string, string>()

function rowsSql(dialect: Dialect, statement: RowsStatement, rowCount: number): string {
  const name = `${dialect.name} ${statement.name} ${rowCount}`
  const cached = cachedSql.get(name)
  if (cached !== undefined) return cached
  let position = 0
  const rows = Array.from({ length: rowCount }, () => {
    const expressions = statement.values.map((write) => {
      position += 1
      return write(dialect.placeholder(position))
    })
    return `(${expressions.join(', ')})`
  })
  const sql = statement.sql(rows.join(', '))
  cachedSql.set(name, sql)
  return sql
}
