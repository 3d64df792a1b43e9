import type { ColumnTypes } from '../dialect.ts'

/** Inboxes that take mail for any recipient and keep their newest messages; tags of messages. */
export const projectInboxes = (t: ColumnTypes): readonly string[] => [
  `alter table inbox add column keep_messages ${t.integer}`,
  'create index inbox_project on inbox (account_id, id) where keep_messages is not null',
  'alter table message add column tags text',
]
