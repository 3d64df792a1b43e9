import type { Insertable } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

/** A statement that takes many rows of values. */
export type RowsStatement = {
  /** Names it among the others; its text follows from that, the dialect and the number of rows. */
  readonly name: string
  /** The statement around `values`, which is `(…), (…)`. */
  readonly sql: (values: string) => string
  /** How one value is written, from its placeholder; one for each value of a row. */
  readonly values: readonly ((placeholder: string) => string)[]
}

const asIs = (placeholder: string) => placeholder

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
      values: columns.map(() => asIs),
    },
    // Every row has the columns of the first: they are made by one function.
    into.rows.map((row) => Object.values(row as Record<string, unknown>)),
  )
}

/** Runs a statement over many rows, in as few calls as the dialect allows. */
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

const known = new Map<string, string>()

function rowsSql(dialect: Dialect, statement: RowsStatement, rowCount: number): string {
  const name = `${dialect.name} ${statement.name} ${rowCount}`
  const earlier = known.get(name)
  if (earlier !== undefined) return earlier
  let place = 0
  const rows = Array.from({ length: rowCount }, () => {
    const places = statement.values.map((write) => {
      place += 1
      return write(dialect.placeholder(place))
    })
    return `(${places.join(', ')})`
  })
  const sql = statement.sql(rows.join(', '))
  known.set(name, sql)
  return sql
}
