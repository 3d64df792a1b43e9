import { CompiledQuery, type Insertable, type Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { ValueType } from './postgres/binary-array.ts'
import { countUse } from './prepared-names.ts'
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
    run: async <Row>(sql: string, parameters: readonly unknown[]) => {
      countUse(sql)
      return (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows
    },
  }
}

/** A statement that takes many rows of values. Its texts are cached as long as it exists. */
export type RowsStatement = {
  /** The statement, around a query for the rows, with the columns column1, column2 and so on. */
  readonly sql: (rows: string) => string
  /** For each value of a row, the expression around its placeholder. */
  readonly values: readonly ((placeholder: string) => string)[]
}

const unchanged = (placeholder: string) => placeholder

/** A statement with its rows and the types of their values. */
export type UsageStatement = {
  readonly statement: RowsStatement
  readonly types: readonly ValueType[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Inserts rows with these columns into a table. */
export function insertion<Column extends string>(
  table: keyof Schema,
  columns: Readonly<Record<Column, ValueType>>,
): (rows: readonly Readonly<Record<Column, unknown>>[]) => UsageStatement {
  // Object.keys has no narrower type.
  const names = Object.keys(columns) as Column[]
  const statement = insertStatement(table, names)
  const types = names.map((name) => columns[name])
  return (rows) => ({
    statement,
    types,
    rows: rows.map((row) => names.map((name) => row[name])),
  })
}

function insertStatement(table: string, columns: readonly string[]): RowsStatement {
  const names = columns.map((column) => `"${column}"`).join(', ')
  return {
    sql: (rows) => `insert into "${table}" (${names}) ${rows}`,
    values: columns.map(() => unchanged),
  }
}

/** Writes many rows of one table; all have the same columns in the same order. */
export async function insertRows<Table extends keyof Schema>(
  statements: Statements,
  dialect: Dialect,
  into: { readonly table: Table; readonly rows: readonly Insertable<Schema[Table]>[] },
): Promise<void> {
  const statement = insertStatement(into.table, Object.keys(into.rows[0] ?? {}))
  const rows = into.rows.map((row) => Object.values(row))
  await executeRows({ statements, dialect }, statement, rows)
}

/**
 * Runs statements for many rows, in this order, in as few calls as the dialect allows. In a
 * transaction.
 */
export async function executeTogether(
  { statements, dialect }: { readonly statements: Statements; readonly dialect: Dialect },
  parts: readonly UsageStatement[],
): Promise<void> {
  const filled = parts.filter(({ rows }) => rows.length > 0)
  const { columns } = dialect
  if (columns === null) {
    for (const { statement, rows } of filled) {
      await executeRows({ statements, dialect }, statement, rows)
    }
    return
  }
  const parameters: unknown[] = []
  const texts = filled.map(({ statement, types, rows }) => {
    const arrays = types.map((type, place) => {
      parameters.push(
        columns.value(
          type,
          rows.map((row) => row[place] ?? null),
        ),
      )
      return `${dialect.placeholder(parameters.length)}::${columns.type(type)}`
    })
    const names = types.map((_, place) => `column${place + 1}`)
    return statement.sql(`select * from unnest(${arrays.join(', ')}) as given(${names.join(', ')})`)
  })
  const last = texts.pop()
  if (last === undefined) return
  const before = texts.map((text, i) => `part${i} as (${text})`).join(', ')
  await statements.run(before === '' ? last : `with ${before} ${last}`, parameters)
}

/** Runs a statement for many rows, in as few calls as the dialect allows. */
export async function executeRows(
  { statements, dialect }: { readonly statements: Statements; readonly dialect: Dialect },
  statement: RowsStatement,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const texts = textsOf(dialect, statement)
  let done = 0
  while (done < rows.length) {
    const count = dialect.rowsPerCall(rows.length - done)
    texts[count] ??= rowsSql(dialect, statement, count)
    const sql = texts[count]
    await statements.run(sql, rows.slice(done, done + count).flat())
    done += count
  }
}

const cachedTexts = new WeakMap<RowsStatement, Map<Dialect, string[]>>()

/** The texts of a statement by the number of rows, as far as they were needed. */
function textsOf(dialect: Dialect, statement: RowsStatement): string[] {
  const byDialect = cachedTexts.get(statement) ?? new Map<Dialect, string[]>()
  const texts = byDialect.get(dialect) ?? []
  cachedTexts.set(statement, byDialect.set(dialect, texts))
  return texts
}

function rowsSql(dialect: Dialect, statement: RowsStatement, rowCount: number): string {
  let position = 0
  const rows = Array.from({ length: rowCount }, () => {
    const expressions = statement.values.map((write) => {
      position += 1
      return write(dialect.placeholder(position))
    })
    return `(${expressions.join(', ')})`
  })
  return statement.sql(`values ${rows.join(', ')}`)
}
