import type { ColumnTypes } from '../dialect.ts'

/** Indexes for the dispatcher, details of failed attempts, and a generated secret key. */
export const webhooks = (t: ColumnTypes): readonly string[] => [
  'alter table delivery_attempt add column detail text',

  // By endpoint, so that the backlog of one is not read to find what is due to another.
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
