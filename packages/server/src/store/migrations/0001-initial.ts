import type { ColumnTypes } from '../dialect.ts'

/** All tables. */
export const initial = (t: ColumnTypes): readonly string[] => [
  ...accounts(t),
  ...inboxes(t),
  ...mails(t),
  ...messages(t),
  ...diagnostics(t),
  ...providers(t),
  ...limits(t),
  ...webhooks(t),
]

const accounts = (t: ColumnTypes): readonly string[] => [
  `create table account (
    id ${t.id} primary key,
    email text not null unique,
    name text,
    plan text not null,
    created_at ${t.integer} not null,
    suspended_at ${t.integer},
    moving_to text
  )${t.options}`,

  `create table external_identity (
    issuer text not null,
    subject text not null,
    account_id ${t.id} not null unique references account (id) on delete cascade,
    connected_at ${t.integer} not null,
    plan_before text not null,
    primary key (issuer, subject)
  )${t.options}`,

  `create table connection_attempt (
    state_hash text primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    provider text not null,
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
    revoked_at ${t.integer},
    expires_at ${t.integer}
  )${t.options}`,
  'create index api_key_by_prefix on api_key (prefix)',
  'create index api_key_by_account on api_key (account_id)',
  'create index api_key_revoked on api_key (revoked_at) where revoked_at is not null',
  'create index api_key_expired on api_key (expires_at) where expires_at is not null',

  `create table sign_in_link (
    token_hash ${t.bytes} primary key,
    account_id ${t.id} not null references account (id) on delete cascade,
    expires_at ${t.integer} not null
  )${t.options}`,
  'create index sign_in_link_by_account on sign_in_link (account_id)',

  `create table secret_key (
    name text primary key,
    value text not null,
    created_at ${t.integer} not null
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
    last_checked_at ${t.integer},
    unproven_since ${t.integer},
    next_check_at ${t.integer}
  )${t.options}`,
  'create index custom_domain_by_account on custom_domain (account_id)',
  'create index custom_domain_unproven on custom_domain (unproven_since)',
  'create index custom_domain_due on custom_domain (next_check_at)',

  // No references: an address outlives its inbox.
  `create table address (
    address text primary key,
    account_id ${t.id} not null,
    inbox_id ${t.id} not null,
    occupied_until ${t.integer} not null
  )${t.options}`,
  'create index address_by_release on address (occupied_until)',

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
    last_sequence ${t.integer} not null default 0,
    read_count ${t.integer} not null default 0,
    flood_started_at ${t.integer} not null default 0,
    flood_mails ${t.integer} not null default 0,
    faults_until ${t.integer} not null default 0,
    keep_messages ${t.integer}
  )${t.options}`,
  'create index inbox_by_account on inbox (account_id, id)',
  'create index inbox_by_account_expiry on inbox (account_id, expires_at, id)',
  'create index inbox_by_domain on inbox (domain, expires_at)',
  'create index inbox_by_expiry on inbox (expires_at, id)',
  'create index inbox_suspended on inbox (account_id, id) where suspended_at is not null',
  'create index inbox_project on inbox (account_id, id) where keep_messages is not null',

  `create table fault_rule (
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    position ${t.integer} not null,
    phase text not null,
    code ${t.integer},
    retry_after_seconds ${t.integer},
    delay_ms ${t.integer},
    text text not null,
    times_left ${t.integer},
    probability ${t.integer},
    primary key (inbox_id, position)
  )${t.options}`,

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
  `create table mail${t.mailPartition} (
    id ${t.id} primary key,
    received_at ${t.integer} not null,
    size_bytes ${t.integer} not null,
    text text,
    text_start ${t.integer},
    text_end ${t.integer},
    html text,
    content text not null,
    transcript text not null
  )${t.options}`,

  `create table raw_mail${t.mailPartition} (
    mail_id ${t.id} primary key references mail${t.mailPartition} (id) on delete cascade,
    encoding text not null,
    bytes ${t.bytes} not null
  )${t.options}`,

  `create table attachment${t.mailPartition} (
    id ${t.id} primary key,
    mail_id ${t.id} not null references mail${t.mailPartition} (id) on delete cascade,
    ordinal ${t.integer} not null,
    filename text,
    content_type text not null,
    content_id text,
    inline ${t.integer} not null,
    size_bytes ${t.integer} not null,
    sha256 text not null,
    status text not null,
    reason text,
    held_for text,
    body_start ${t.integer} not null,
    body_end ${t.integer} not null,
    body_encoding text not null
  )${t.options}`,
  `create index attachment_by_mail on attachment${t.mailPartition} (mail_id, ordinal)`,
  // `is not null` and not `= 'scan'`: SQLite uses a partial index only for a condition that it
  // knows when the statement is prepared, and a value would be a parameter.
  `create index attachment_held on attachment${t.mailPartition} (id) where held_for is not null`,

  // A table of its own: writing a verdict must not rewrite the row of the mail.
  `create table sender_verdict${t.mailPartition} (
    mail_id ${t.id} primary key references mail${t.mailPartition} (id) on delete cascade,
    auth text not null
  )${t.options}`,

  ...t.mailPartitions,
]

const messages = (t: ColumnTypes): readonly string[] => [
  `create table message (
    id ${t.id} primary key,
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    mail_id ${t.id} not null${t.mailReference},
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
    otp_confidence ${t.real},
    is_read ${t.integer} not null default 0,
    tags text,
    sender text not null,
    provider_id text
  )${t.options}`,
  'create unique index message_by_inbox on message (inbox_id, sequence)',
  'create index message_by_mail on message (mail_id)',
  'create index message_by_provider on message (provider_id) where provider_id is not null',

  `create table search_entry (
    number ${t.rowNumber},
    message_id ${t.id} not null unique references message (id) on delete cascade,
    account_id ${t.id} not null${t.searchText}
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

const diagnostics = (t: ColumnTypes): readonly string[] => [
  `create table diagnostic_event (
    id ${t.id} primary key,
    inbox_id ${t.id} not null references inbox (id) on delete cascade,
    stage text not null,
    at ${t.integer} not null,
    detail text not null,
    reason text,
    recipient text
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

const providers = (t: ColumnTypes): readonly string[] => [
  // No reference to an inbox: it may be gone when the mail is due.
  `create table provider_mail (
    account_id ${t.id} not null references account (id) on delete cascade,
    provider text not null,
    id text not null,
    state text not null,
    created_at ${t.integer} not null,
    due_at ${t.integer},
    leased_until ${t.integer},
    batch text,
    mail text not null,
    raw ${t.bytes} not null,
    primary key (account_id, provider, id)
  )${t.options}`,
  'create index provider_mail_due on provider_mail (due_at) where due_at is not null',
  'create index provider_mail_by_age on provider_mail (created_at)',

  `create table provider_template (
    account_id ${t.id} not null references account (id) on delete cascade,
    provider text not null,
    id text not null,
    alias text not null,
    created_at ${t.integer} not null,
    content text not null,
    primary key (account_id, provider, id)
  )${t.options}`,
  'create index provider_template_by_alias on provider_template (account_id, provider, alias)',
]

const limits = (t: ColumnTypes): readonly string[] => [
  `create table usage_day (
    account_id ${t.id} not null references account (id) on delete cascade,
    date text not null,
    environment text not null,
    requests ${t.integer} not null default 0,
    inboxes ${t.integer} not null default 0,
    primary key (account_id, date, environment)
  )${t.options}`,
  'create index usage_day_by_date on usage_day (date)',

  `create ${t.unlogged}table rate_window (
    name text primary key,
    started_at ${t.integer} not null,
    window_ms ${t.integer} not null,
    used ${t.integer} not null
  )${t.options}`,

  `create ${t.unlogged}table slot (
    account_id ${t.id} not null,
    kind text not null,
    number ${t.integer} not null,
    token text not null,
    node text not null,
    leased_until ${t.integer} not null,
    primary key (account_id, kind, number)
  )${t.options}`,
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

  // No reference to the webhook: the log of its deliveries outlives it.
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
  'create index delivery_by_inbox on delivery (inbox_id)',
  'create index delivery_by_time on delivery (created_at)',
  // By webhook, so that the backlog of one is not read to find the due deliveries of another.
  `create index delivery_due on delivery (webhook_id, next_attempt_at)
    where next_attempt_at is not null`,
  `create index delivery_leased on delivery (webhook_id, leased_until)
    where leased_until is not null`,

  `create table delivery_attempt (
    delivery_id ${t.id} not null references delivery (id) on delete cascade,
    number ${t.integer} not null,
    at ${t.integer} not null,
    status ${t.integer},
    error text,
    duration_ms ${t.integer} not null,
    detail text,
    primary key (delivery_id, number)
  )${t.options}`,
]
