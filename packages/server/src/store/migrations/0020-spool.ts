import type { ColumnTypes } from '../dialect.ts'

/** How far the mails of each spool are stored; only SQLite has spools. */
export const spool = (t: ColumnTypes): readonly string[] => [
  `create table spool (
    name text primary key,
    stored_to ${t.integer} not null
  )${t.options}`,
]
