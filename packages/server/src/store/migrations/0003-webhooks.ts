import type { ColumnTypes } from '../dialect.ts'

/** What the dispatcher looks for, failures in words, and a key for those who configured none. */
export const webhooks = (t: ColumnTypes): readonly string[] => [
  'alter table delivery_attempt add column detail text',

  // By endpoint: the backlog of one must not be walked through to find what is due to another.
  'drop index delivery_due',
  `create index delivery_due on delivery (webhook_id, next_attempt_at)
    where next_attempt_at is not null`,
  `create index delivery_leased on delivery (webhook_id, leased_until)
    where leased_until is not null`,
  'create index delivery_by_time on delivery (created_at)',

  `create table secret_key (
    name text primary key,
    value text not null,
    created_at ${t.integer} not null
  )${t.options}`,
]
