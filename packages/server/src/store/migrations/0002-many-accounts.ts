import type { ColumnTypes } from '../dialect.ts'

/** What many accounts on one service need: rates and waits that nodes count together. */
export const manyAccounts = (t: ColumnTypes): readonly string[] => [
  `create ${t.unlogged}table rate_window (
    name text primary key,
    window_ms ${t.integer} not null,
    started_at ${t.integer} not null,
    used ${t.integer} not null
  )${t.options}`,

  `create ${t.unlogged}table wait_slot (
    account_id ${t.id} not null,
    number ${t.integer} not null,
    token text not null,
    node text not null,
    leased_until ${t.integer} not null,
    primary key (account_id, number)
  )${t.options}`,
]
