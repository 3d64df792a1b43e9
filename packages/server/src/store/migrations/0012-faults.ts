import type { ColumnTypes } from '../dialect.ts'

/** Rules by which inboxes refuse mail. */
export const faults = (t: ColumnTypes): readonly string[] => [
  `alter table inbox add column faults_until ${t.integer} not null default 0`,
  `create table fault_rule (
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    position ${t.integer} not null,
    phase text not null,
    code ${t.integer} not null,
    text text not null,
    times_left ${t.integer},
    probability ${t.integer},
    primary key (inbox_id, position)
  )${t.options}`,
]
