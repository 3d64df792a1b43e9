import type { ColumnTypes } from '../dialect.ts'

/** The first tables. */
export const initial = (t: ColumnTypes): readonly string[] => [
  ...accounts(t),
  ...inboxes(t),
  ...mails(t),
  ...diagnostics(t),
  ...webhooks(t),
]

const accounts = (t: ColumnTypes): readonly string[] => [
  `create table account (
    id ${t.id} primary key,
    email text not null unique,
    name text,
    plan text not null,
    created_at ${t.integer} not null,
    suspended_at ${t.integer}
  )${t.options}`,

  `create table external_identity (
    issuer text not null,
    subject text not null,
    account_id ${t.id} not null unique references account (id) on delete cascade,
    connected_at ${t.integer} not null,
    primary key (issuer, subject)
  )${t.options}`,

  `create table connection_attempt (
    state_hash text primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    code_verifier text not null,
    nonce text not null,
    created_at ${t.integer} not null
  )${t.options}`,

  `create table api_key (
    id ${t.id} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    name text not null,
    environment text not null,
    role text not null,
    prefix text not null,
    secret_hash ${t.bytes} not null,
    created_at ${t.integer} not null,
    last_used_at ${t.integer},
    revoked_at ${t.integer}
  )${t.options}`,
  'create index api_key_by_prefix on api_key (prefix)',
  'create index api_key_by_account on api_key (account_id)',

  `create table usage_day (
    account_id ${t.id} not null references account (id) on delete cascade,
    date text not null,
    environment text not null,
    requests ${t.integer} not null default 0,
    inboxes ${t.integer} not null default 0,
    primary key (account_id, date, environment)
  )${t.options}`,
]

const inboxes = (t: ColumnTypes): readonly string[] => [
  `create table custom_domain (
    domain text primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    state text not null,
    challenge text not null,
    created_at ${t.integer} not null,
    verified_at ${t.integer},
    active_at ${t.integer},
    last_checked_at ${t.integer}
  )${t.options}`,
  'create index custom_domain_by_account on custom_domain (account_id)',

  `create table address (
    address text primary key,
    account_id ${t.id} not null,
    inbox_id ${t.id} not null,
    occupied_until ${t.integer} not null
  )${t.options}`,

  `create table inbox (
    id ${t.id} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    address text not null,
    domain text not null,
    environment text not null,
    created_at ${t.integer} not null,
    expires_at ${t.integer} not null,
    suspended_at ${t.integer},
    suspended_reason text,
    message_count ${t.integer} not null default 0,
    size_bytes ${t.integer} not null default 0,
    last_sequence ${t.integer} not null default 0
  )${t.options}`,
  'create index inbox_by_account on inbox (account_id, created_at)',
  'create index inbox_by_domain on inbox (domain, expires_at)',
  'create index inbox_by_expiry on inbox (expires_at)',

  `create table idempotency_key (
    account_id ${t.id} not null references account (id) on delete cascade,
    key text not null,
    created_at ${t.integer} not null,
    answer text,
    primary key (account_id, key)
  )${t.options}`,
  'create index idempotency_key_by_age on idempotency_key (created_at)',
]

const mails = (t: ColumnTypes): readonly string[] => [
  `create table mail (
    id ${t.id} primary key,
    received_at ${t.integer} not null,
    size_bytes ${t.integer} not null,
    text text,
    html text,
    content text not null,
    transcript text not null,
    auth text
  )${t.options}`,

  `create table raw_mail (
    mail_id ${t.id} primary key references mail (id) on delete cascade,
    encoding text not null,
    bytes ${t.bytes} not null
  )${t.options}`,

  `create table message (
    id ${t.id} primary key,
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    mail_id ${t.id} not null references mail (id),
    sequence ${t.integer} not null,
    received_at ${t.integer} not null,
    recipient text not null,
    from_name text,
    from_address text,
    subject text,
    preview text,
    size_bytes ${t.integer} not null,
    has_attachments ${t.integer} not null,
    otp_value text,
    otp_confidence ${t.real}
  )${t.options}`,
  'create unique index message_by_inbox on message (inbox_id, sequence)',
  'create index message_by_mail on message (mail_id)',

  `create table attachment (
    id ${t.id} primary key,
    mail_id ${t.id} not null references mail (id) on delete cascade,
    ordinal ${t.integer} not null,
    filename text,
    content_type text not null,
    content_id text,
    inline ${t.integer} not null,
    size_bytes ${t.integer} not null,
    sha256 text not null,
    status text not null,
    reason text,
    body_start ${t.integer} not null,
    body_end ${t.integer} not null,
    body_encoding text not null
  )${t.options}`,
  'create index attachment_by_mail on attachment (mail_id, ordinal)',
  `create index attachment_held on attachment (id) where status = 'quarantined'`,
  'create index mail_unchecked on mail (id) where auth is null',
]

const diagnostics = (t: ColumnTypes): readonly string[] => [
  `create table diagnostic_event (
    id ${t.id} primary key,
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    stage text not null,
    at ${t.integer} not null,
    detail text
  )${t.options}`,
  'create index diagnostic_event_by_inbox on diagnostic_event (inbox_id, id)',

  `create table domain_refusal (
    domain text not null,
    hour_at ${t.integer} not null,
    refusals ${t.integer} not null,
    primary key (domain, hour_at)
  )${t.options}`,

  `create table scenario (
    id ${t.id} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    name text not null,
    assertions text not null,
    timeout_seconds ${t.integer} not null,
    created_at ${t.integer} not null
  )${t.options}`,
  'create index scenario_by_account on scenario (account_id, created_at)',
]

const webhooks = (t: ColumnTypes): readonly string[] => [
  `create table webhook (
    id ${t.id} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    url text not null,
    secret_sealed text not null,
    created_at ${t.integer} not null,
    disabled_at ${t.integer},
    last_delivery_at ${t.integer},
    last_status ${t.integer}
  )${t.options}`,
  'create index webhook_by_account on webhook (account_id, created_at)',

  `create table delivery (
    id ${t.id} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    webhook_id ${t.id} not null,
    url text not null,
    event text not null,
    inbox_id ${t.id} not null,
    message_id ${t.id} not null,
    payload text not null,
    status text not null,
    attempts_made ${t.integer} not null default 0,
    created_at ${t.integer} not null,
    next_attempt_at ${t.integer},
    leased_until ${t.integer}
  )${t.options}`,
  'create index delivery_by_account on delivery (account_id, created_at, id)',
  `create index delivery_due on delivery (next_attempt_at) where next_attempt_at is not null`,
  'create index delivery_by_inbox on delivery (inbox_id)',

  `create table delivery_attempt (
    delivery_id ${t.id} not null references delivery (id) on delete cascade,
    number ${t.integer} not null,
    at ${t.integer} not null,
    status ${t.integer},
    error text,
    duration_ms ${t.integer} not null,
    primary key (delivery_id, number)
  )${t.options}`,
]
