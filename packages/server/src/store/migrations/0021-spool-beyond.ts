import type { ColumnTypes } from '../dialect.ts'

/** Mails of a spool that are stored although earlier ones are not, as numbers in JSON. */
export const spoolBeyond = (_: ColumnTypes): readonly string[] => [
  `alter table spool add column beyond text not null default '[]'`,
]
