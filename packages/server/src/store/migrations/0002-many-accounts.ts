import type { ColumnTypes } from '../dialect.ts'

/** Rate limits shared by nodes, checks of custom domains, providers of external accounts. */
export const manyAccounts = (t: ColumnTypes): readonly string[] => [
  ...limits(t),
  ...domains(t),
  ...connections(),
]

const connections = (): readonly string[] => [
  `alter table external_identity add column plan_before text not null default 'key_only'`,
  `alter table connection_attempt add column provider text not null default 'oidc'`,
]

const domains = (t: ColumnTypes): readonly string[] => [
  `alter table custom_domain add column unproven_since ${t.integer}`,
  `alter table custom_domain add column next_check_at ${t.integer}`,
  'create index custom_domain_unproven on custom_domain (unproven_since)',
  'create index custom_domain_due on custom_domain (next_check_at)',
]

const limits = (t: ColumnTypes): readonly string[] => [
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
