import type {
  AccountId,
  AttachmentId,
  AttachmentStatus,
  AttemptError,
  ConnectionProvider,
  DiagnosticId,
  Environment,
  EventId,
  InboxId,
  KeyId,
  MessageId,
  Plan,
  Role,
  ScenarioId,
  WebhookId,
} from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import type { ColumnType } from 'kysely'

// Columns named `…_at`, `…_until` hold milliseconds since 1970; JSON is text; flags are 0 or 1:
// both databases keep these alike, and they sort as they should.

/** A whole number that the database may also hold as a wider type. */
type Flag = 0 | 1

type AccountTable = {
  id: AccountId
  email: string
  name: string | null
  plan: Plan
  created_at: number
  suspended_at: number | null
}

/** One external identity connects one account. */
type ExternalIdentityTable = {
  issuer: string
  subject: string
  account_id: AccountId
  connected_at: number
  /** What the plan goes back to when it is disconnected. */
  plan_before: Plan
}

/** A begun connection to an external account, until its callback. */
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
  /** Since when its TXT record is missing; null while it is there. */
  unproven_since: number | null
  /** When it is looked at unasked; null while it is pending. */
  next_check_at: number | null
}

/**
 * Who holds an address. The row outlives its inbox, so that an address that one account
 * gave up is not handed to another while its old mail may still be under way.
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
}

/** One mail as it was received, shared by all its recipients. */
type MailTable = {
  id: string
  received_at: number
  size_bytes: number
  text: string | null
  html: string | null
  /** What a full message shows beyond its own columns. */
  content: string
  transcript: string
  /** Verdicts of the sender checks; null until they are done. */
  auth: string | null
}

/** The bytes as they came, with our trace headers on top. */
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
  /** Where its encoded bytes lie in the raw mail. */
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
  | 'no_room'
  | 'too_large'
  | 'no_memory'
  | 'too_slow'
  | 'timed_out'
  | 'connection_lost'
  | 'client_error'
  | 'shutting_down'
  | 'handler_failed'

/** Stages that cannot be derived from another table: refusals, near misses, suspensions. */
type DiagnosticEventTable = {
  id: DiagnosticId
  inbox_id: InboxId
  stage: 'smtp.refused' | 'near.miss' | 'inbox.suspended'
  at: number
  detail: string | null
  /** Of `smtp.refused`; null in rows older than the column. */
  reason: RefusalCode | null
  /** Of `near.miss`: the address that the mail was sent to; null in rows older than the column. */
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

/** How much of a rate was used since a window began. */
type RateWindowTable = {
  name: string
  window_ms: number
  started_at: number
  used: number
}

/** A held wait: one of the numbered places that an account has. */
type WaitSlotTable = {
  account_id: AccountId
  number: number
  /** Whose place it is: a new one each time it is taken. */
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

/** A key that was made here because none was configured. */
type SecretKeyTable = {
  name: string
  value: string
  created_at: number
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
  mail: MailTable
  raw_mail: RawMailTable
  message: MessageTable
  attachment: AttachmentTable
  diagnostic_event: DiagnosticEventTable
  domain_refusal: DomainRefusalTable
  idempotency_key: IdempotencyKeyTable
  usage_day: UsageDayTable
  rate_window: RateWindowTable
  wait_slot: WaitSlotTable
  scenario: ScenarioTable
  webhook: WebhookTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  secret_key: SecretKeyTable
}
