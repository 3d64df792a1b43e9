import type { ColumnTypes } from '../dialect.ts'

/** Mails counted by inbox, over all threads and nodes. */
export const floodWindows = (t: ColumnTypes): readonly string[] => [
  `alter table inbox add column flood_started_at ${t.integer} not null default 0`,
  `alter table inbox add column flood_mails ${t.integer} not null default 0`,
]
