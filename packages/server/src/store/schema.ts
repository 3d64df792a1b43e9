import type {
  AccountId,
  AttachmentId,
  AttachmentStatus,
  AttemptError,
  ConnectionProvider,
  DiagnosticId,
  Environment,
  EventId,
  FaultPhase,
  InboxId,
  KeyId,
  MessageId,
  Plan,
  Role,
  ScenarioId,
  WebhookId,
} from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import type { ColumnType, Generated } from 'kysely'

// Columns named `…_at` and `…_until` hold milliseconds since 1970, JSON is text, flags are 0 or 1:
// both databases store these types alike.

type Flag = 0 | 1

type AccountTable = {
  id: AccountId
  email: string
  name: string | null
  plan: Plan
  created_at: number
  suspended_at: number | null
  /** The cell that it is being moved to: meanwhile nothing in it changes. Null otherwise. */
  moving_to: ColumnType<string | null, string | null | undefined>
}

/** One external identity connects one account. */
type ExternalIdentityTable = {
  issuer: string
  subject: string
  account_id: AccountId
  connected_at: number
  /** The plan that a disconnect restores. */
  plan_before: Plan
}

/** A connection to an external account that waits for its callback. */
type ConnectionAttemptTable = {
  state_hash: string
  account_id: AccountId
  provider: ConnectionProvider
  code_verifier: string
  nonce: string
  created_at: number
}

type ApiKeyTable = {
  id: KeyId
  account_id: AccountId
  name: string
  environment: Environment
  role: Role
  prefix: string
  secret_hash: Uint8Array
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
  /** When a session of the dashboard ends; null for a key. */
  expires_at: number | null
}

type CustomDomainTable = {
  domain: string
  account_id: AccountId
  state: 'pending' | 'verified' | 'active'
  challenge: string
  created_at: number
  verified_at: number | null
  active_at: number | null
  last_checked_at: number | null
  /** When its TXT record was first missing; null while it is there, -1 while it is removed. */
  unproven_since: number | null
  /** When the sweep checks it next; null while it is pending. */
  next_check_at: number | null
}

/**
 * The owner of an address. The row stays after its inbox is gone, so that another account does not
 * get the address while mail for its old owner may still arrive.
 */
type AddressTable = {
  address: string
  account_id: AccountId
  inbox_id: InboxId
  occupied_until: number
}

type InboxTable = {
  id: InboxId
  account_id: AccountId
  address: string
  domain: string
  environment: Environment
  created_at: number
  expires_at: number
  suspended_at: number | null
  suspended_reason: string | null
  message_count: ColumnType<number, number | undefined>
  size_bytes: ColumnType<number, number | undefined>
  /** Number of the newest message; each message of an inbox has the next one. */
  last_sequence: ColumnType<number, number | undefined>
  /** The window in which mails for the inbox are counted: since when, and how many. */
  flood_started_at: ColumnType<number, number | undefined>
  flood_mails: ColumnType<number, number | undefined>
  /** How many of its messages are marked as read. */
  read_count: ColumnType<number, number | undefined>
  /** Until when it may have fault rules. */
  faults_until: ColumnType<number, number | undefined>
  /** How many of its newest messages a catch-all inbox keeps; null for any other inbox. */
  keep_messages: number | null
}

/** A rule by which an inbox refuses mail; it ends with `faults_until` of the inbox. */
type FaultRuleTable = {
  inbox_id: InboxId
  position: number
  phase: FaultPhase
  /** The SMTP code, or the HTTP status of the phase `api`; null for a delay alone. */
  code: number | null
  retry_after_seconds: number | null
  delay_ms: number | null
  text: string
  /** Null for a rule that refuses any number. */
  times_left: number | null
  /** Percent; null for a rule that refuses each. */
  probability: number | null
}

/** A received mail, shared by all its recipients. */
type MailTable = {
  id: string
  received_at: number
  size_bytes: number
  text: string | null
  /** Where the text is in the raw mail, in place of `text`. */
  text_start: number | null
  text_end: number | null
  html: string | null
  /** JSON of `MailContent`. */
  content: string
  transcript: string
}

/** The verdicts of the sender checks of a mail; no row until they are done. */
type SenderVerdictTable = {
  mail_id: string
  /** JSON of `MessageAuth`. */
  auth: string
}

/** The bytes of a mail as received, with our trace headers on top. */
type RawMailTable = {
  mail_id: string
  encoding: 'identity' | 'zstd'
  bytes: Uint8Array
}

/** A mail in an inbox. */
type MessageTable = {
  id: MessageId
  inbox_id: InboxId
  mail_id: string
  sequence: number
  received_at: number
  recipient: string
  from_name: string | null
  from_address: string | null
  subject: string | null
  preview: string | null
  size_bytes: number
  has_attachments: Flag
  otp_value: string | null
  otp_confidence: number | null
  is_read: ColumnType<Flag, Flag | undefined>
  /** JSON of the tags of a message in a catch-all inbox; null in others. */
  tags: string | null
  /** JSON of `MailSender`. */
  sender: string
  /** The name of a provider and the id that it gave the mail: `resend:…`; null for SMTP. */
  provider_id: string | null
}

type AttachmentTable = {
  id: AttachmentId
  mail_id: string
  ordinal: number
  filename: string | null
  content_type: string
  content_id: string | null
  inline: Flag
  size_bytes: number
  sha256: string
  status: AttachmentStatus
  reason: string | null
  /** Set while the attachment is quarantined because it has not been scanned yet. */
  held_for: 'scan' | null
  /** Position of its encoded bytes in the raw mail. */
  body_start: number
  body_end: number
  body_encoding: TransferEncoding
}

/** Why mail for an inbox was refused, or rejected after its recipients had been accepted. */
export type RefusalCode =
  | 'inbox_expired'
  | 'inbox_suspended'
  | 'message_limit_reached'
  | 'size_limit_reached'
  | 'account_limit_reached'
  | 'no_room'
  | 'too_large'
  | 'no_memory'
  | 'too_slow'
  | 'timed_out'
  | 'connection_lost'
  | 'client_error'
  | 'shutting_down'
  | 'tls_failed'
  | 'handler_failed'
  | 'wrong_password'
  | 'no_catch_all_inbox'

/** Stages that cannot be derived from another table. */
type DiagnosticEventTable = {
  id: DiagnosticId
  inbox_id: InboxId
  stage:
    | 'smtp.refused'
    | 'provider.accepted'
    | 'provider.refused'
    | 'near.miss'
    | 'inbox.suspended'
    | 'fault.injected'
    | 'webhook.failed'
  at: number
  detail: string
  /** Of `smtp.refused`; null for others. */
  reason: RefusalCode | null
  /** Of `near.miss`: the address that the mail was sent to; null for others. */
  recipient: string | null
}

/** Refused recipients of one receiving domain in one hour. */
type DomainRefusalTable = {
  domain: string
  hour_at: number
  refusals: number
}

type IdempotencyKeyTable = {
  account_id: AccountId
  key: string
  created_at: number
  answer: string | null
}

type UsageDayTable = {
  account_id: AccountId
  date: string
  environment: Environment
  requests: ColumnType<number, number | undefined>
  inboxes: ColumnType<number, number | undefined>
}

/** Requests counted against a rate limit in its newest window. */
type RateWindowTable = {
  name: string
  started_at: number
  window_ms: number
  used: number
}

/** The kinds of slots: an account has a limited number of each at a time. */
export type SlotKind = 'wait' | 'stream' | 'link'

/** A taken slot: one of as many as the account may have of the kind. */
type SlotTable = {
  account_id: AccountId
  kind: SlotKind
  /** From 1. */
  number: number
  /** Identifies the holder; a new one each time the slot is taken. */
  token: string
  node: string
  leased_until: number
}

type ScenarioTable = {
  id: ScenarioId
  account_id: AccountId
  name: string
  assertions: string
  timeout_seconds: number
  created_at: number
}

type WebhookTable = {
  id: WebhookId
  account_id: AccountId
  url: string
  secret_sealed: string
  created_at: number
  disabled_at: number | null
  last_delivery_at: number | null
  last_status: number | null
}

type DeliveryTable = {
  id: EventId
  account_id: AccountId
  webhook_id: WebhookId
  url: string
  event: string
  inbox_id: InboxId
  message_id: MessageId
  payload: string
  status: 'pending' | 'succeeded' | 'failed'
  attempts_made: ColumnType<number, number | undefined>
  created_at: number
  next_attempt_at: number | null
  leased_until: number | null
}

type DeliveryAttemptTable = {
  delivery_id: EventId
  number: number
  at: number
  status: number | null
  error: AttemptError | null
  duration_ms: number
  detail: string | null
}

/** A generated key, for services where none is configured. */
type SecretKeyTable = {
  name: string
  value: string
  created_at: number
}

/** A one-time link that signs in to the dashboard. */
type SignInLinkTable = {
  token_hash: Buffer
  account_id: AccountId
  expires_at: number
}

/** A message in the search index. On PostgreSQL it has its text, too; on SQLite search_text has. */
type SearchEntryTable = {
  number: Generated<number>
  message_id: MessageId
  account_id: AccountId
}

/** How far the search index is; at most one row. */
type SearchStateTable = {
  name: string
  /** Messages up to this id are in the index. */
  indexed_to: string
  /** Until when a node that adds to the index keeps the others from doing so. */
  leased_until: number
  node: string
}

/** A mail that a provider's API has accepted and that no inbox has, yet or ever. */
type ProviderMailTable = {
  account_id: AccountId
  provider: string
  id: string
  state: 'scheduled' | 'canceled' | 'failed' | 'accepted'
  created_at: number
  /** When it is sent; null when it is not. */
  due_at: number | null
  leased_until: number | null
  batch: string | null
  /** JSON of `HeldMail`. */
  mail: string
  raw: Uint8Array
}

/** A template of an account at a provider. */
type ProviderTemplateTable = {
  account_id: AccountId
  provider: string
  id: string
  alias: string
  created_at: number
  /** JSON. */
  content: string
}

/** Every table by name. */
export type Schema = {
  account: AccountTable
  external_identity: ExternalIdentityTable
  connection_attempt: ConnectionAttemptTable
  api_key: ApiKeyTable
  custom_domain: CustomDomainTable
  address: AddressTable
  inbox: InboxTable
  fault_rule: FaultRuleTable
  mail: MailTable
  sender_verdict: SenderVerdictTable
  raw_mail: RawMailTable
  message: MessageTable
  attachment: AttachmentTable
  diagnostic_event: DiagnosticEventTable
  domain_refusal: DomainRefusalTable
  idempotency_key: IdempotencyKeyTable
  usage_day: UsageDayTable
  rate_window: RateWindowTable
  slot: SlotTable
  scenario: ScenarioTable
  webhook: WebhookTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  secret_key: SecretKeyTable
  provider_mail: ProviderMailTable
  provider_template: ProviderTemplateTable
  search_entry: SearchEntryTable
  search_state: SearchStateTable
  sign_in_link: SignInLinkTable
}
