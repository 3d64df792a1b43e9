import type { ColumnTypes } from '../dialect.ts'

/** One-time links that sign in to the dashboard. */
export const signInLinks = (t: ColumnTypes): readonly string[] => [
  `create table sign_in_link (
    token_hash ${t.bytes} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    expires_at ${t.integer} not null
  )${t.options}`,
  'create index sign_in_link_by_account on sign_in_link (account_id)',
]
