import type { ColumnTypes } from '../dialect.ts'

/** The index for searches over all inboxes of an account. */
export const search = (t: ColumnTypes): readonly string[] => [
  `create table search_entry (
    number ${t.rowNumber},
    message_id ${t.id} not null unique references message (id) on delete cascade,
    account_id ${t.id} not null
  )${t.options}`,
  'create index search_entry_by_account on search_entry (account_id, number)',
  ...t.substringIndex,
  `create table search_state (
    name text primary key,
    indexed_to ${t.id} not null,
    leased_until ${t.integer} not null,
    node text not null
  )${t.options}`,
]
