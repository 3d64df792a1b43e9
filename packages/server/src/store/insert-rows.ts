import { CompiledQuery, type Insertable, type Kysely } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'

/**
 * Writes many rows of one table.
 *
 * The one place that writes SQL without the builder: a mail is three of these rows, and
 * building and compiling the statement each time would cost more than running it.
 */
export async function insertRows<Table extends keyof Schema>(
  db: Kysely<Schema>,
  dialect: Dialect,
  into: { readonly table: Table; readonly rows: readonly Insertable<Schema[Table]>[] },
): Promise<void> {
  const [first] = into.rows
  if (first === undefined) return
  const columns = Object.keys(first)
  for (let start = 0; start < into.rows.length; start += dialect.rowsPerInsert) {
    const rows = into.rows.slice(start, start + dialect.rowsPerInsert)
    const sql = insertSql({ table: into.table, columns, rowCount: rows.length, dialect })
    // Every row has the columns of the first: they are made by one function.
    const values = rows.flatMap((row) => Object.values(row as Record<string, unknown>))
    await db.executeQuery(CompiledQuery.raw(sql, values))
  }
}

const known = new Map<string, string>()

function insertSql(of: {
  readonly table: string
  readonly columns: readonly string[]
  readonly rowCount: number
  readonly dialect: Dialect
}): string {
  const { table, columns, rowCount, dialect } = of
  const name = `${dialect.name} ${table} ${rowCount}`
  const earlier = known.get(name)
  if (earlier !== undefined) return earlier
  let place = 0
  const rows = Array.from({ length: rowCount }, () => {
    const places = columns.map(() => {
      place += 1
      return dialect.placeholder(place)
    })
    return `(${places.join(', ')})`
  })
  const names = columns.map((column) => `"${column}"`).join(', ')
  const sql = `insert into "${table}" (${names}) values ${rows.join(', ')}`
  known.set(name, sql)
  return sql
}
