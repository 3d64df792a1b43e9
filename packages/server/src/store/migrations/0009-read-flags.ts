import type { ColumnTypes } from '../dialect.ts'

/** Messages are read or unread; each inbox counts those that are read. */
export const readFlags = (t: ColumnTypes): readonly string[] => [
  `alter table message add column is_read ${t.integer} not null default 0`,
  `alter table inbox add column read_count ${t.integer} not null default 0`,
]
