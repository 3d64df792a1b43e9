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

/** A statement and its rows. */
export type FilledStatement = {
  readonly statement: RowsStatement
  readonly rows: readonly (readonly unknown[])[]
}

/** Rows to insert into a table; all have the same columns in the same order. */
export function insertion<Table extends keyof Schema>(
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
): FilledStatement {
  const columns = Object.keys(rows[0] ?? {})
  const names = columns.map((column) => `"${column}"`).join(', ')
  return {
    statement: {
      name: table,
      sql: (values) => `insert into "${table}" (${names}) values ${values}`,
      values: columns.map(() => unchanged),
    },
    // The type of a row is not known to have values of any one type.
    rows: rows.map((row) => Object.values(row as Record<string, unknown>)),
  }
}

/** Writes many rows of one table. */
export async function insertRows<Table extends keyof Schema>(
  statements: Statements,
  dialect: Dialect,
  into: { readonly table: Table; readonly rows: readonly Insertable<Schema[Table]>[] },
): Promise<void> {
  const { statement, rows } = insertion(into.table, into.rows)
  await executeRows({ statements, dialect }, statement, rows)
}

/**
 * Runs statements for many rows, in this order, in as few calls as the dialect allows. In a
 * transaction.
 */
export async function executeTogether(
  { statements, dialect }: { readonly statements: Statements; readonly dialect: Dialect },
  parts: readonly FilledStatement[],
): Promise<void> {
  const filled = parts.filter(({ rows }) => rows.length > 0)
  if (!dialect.writesTogether) {
    for (const { statement, rows } of filled) {
      await executeRows({ statements, dialect }, statement, rows)
    }
    return
  }
  let position = 0
  const texts = filled.map(({ statement, rows }) => {
    const text = statement.sql(valuesSql(dialect, statement, { rowCount: rows.length, position }))
    position += rows.length * statement.values.length
    return text
  })
  const last = texts.pop()
  if (last === undefined) return
  const before = texts.map((text, i) => `part${i} as (${text})`).join(', ')
  const parameters = filled.flatMap(({ rows }) => rows.flat())
  await statements.run(before === '' ? last : `with ${before} ${last}`, parameters)
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
  const sql = statement.sql(valuesSql(dialect, statement, { rowCount, position: 0 }))
  cachedSql.set(name, sql)
  return sql
}

/** Rows of placeholders, the first of which comes after this position. */
function valuesSql(
  dialect: Dialect,
  statement: RowsStatement,
  { rowCount, position }: { readonly rowCount: number; readonly position: number },
): string {
  let last = position
  const rows = Array.from({ length: rowCount }, () => {
    const expressions = statement.values.map((write) => {
      last += 1
      return write(dialect.placeholder(last))
    })
    return `(${expressions.join(', ')})`
  })
  return rows.join(', ')
}
