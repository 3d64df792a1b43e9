import type { AccountId, InboxId, Plan } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import {
  executeRows,
  type FilledStatement,
  type RowsStatement,
  type Statements,
} from '../statements.ts'
import { isOnRemovedDomain } from './domains.ts'
import { hasSpooledMail } from './spooled-mails.ts'

/** What decides whether an inbox accepts mail. */
export type Recipient = {
  readonly inboxId: InboxId
  readonly accountId: AccountId
  readonly plan: Plan
  readonly address: string
  readonly expiresAt: number
  readonly isSuspended: boolean
  /** Whether the domain of the inbox is being removed. */
  readonly isDomainRemoved: boolean
  readonly messageCount: number
  readonly sizeBytes: number
  /** Until when the inbox may have fault rules. */
  readonly faultsUntil: number
  /** How many of its newest messages a project inbox keeps; null for any other inbox. */
  readonly keepMessages: number | null
  readonly flood: FloodWindow
  /** Whether mail for it is accepted and not stored yet, where nodes share the store. */
  readonly hasSpooledMail: boolean
}

/** Mails for an inbox, stored or refused because it is full, in the parts of a window. */
export type FloodWindow = {
  /** When the newest part began. */
  readonly startedAt: number
  /** In the newest part. */
  readonly mails: number
  /** In the parts before it, newest first. */
  readonly earlier: readonly number[]
}

/** How full an inbox is. */
export type InboxFill = {
  readonly id: InboxId
  readonly accountId: AccountId
  readonly address: string
  readonly messageCount: number
  readonly sizeBytes: number
  readonly lastSequence: number
  readonly flood: FloodWindow
  /** As of a `Recipient`. */
  readonly keepMessages: number | null
  /** Whether its account has webhooks that are not disabled. */
  readonly hasWebhooks: boolean
}

type RecipientRow = {
  id: InboxId
  account_id: AccountId
  plan: Plan
  address: string
  expires_at: number
  suspended: number | null
  domain_removed: number | boolean
  message_count: number
  size_bytes: number
  faults_until: number
  keep_messages: number | null
  flood_started_at: number
  flood_mails: number
  flood_earlier: string | null
  has_spooled_mail: boolean | 0
}

type FillRow = {
  id: InboxId
  account_id: AccountId
  address: string
  message_count: number
  size_bytes: number
  last_sequence: number
  flood_started_at: number
  flood_mails: number
  flood_earlier: string | null
  keep_messages: number | null
  has_webhooks: number | boolean
}

const selectRecipient = (
  isShared: boolean,
) => `select inbox.id, inbox.account_id, account.plan, inbox.address,
  inbox.expires_at,
  coalesce(inbox.suspended_at, account.suspended_at) as suspended,
  ${isOnRemovedDomain({ domain: 'inbox.domain', owner: 'inbox.account_id' })} as domain_removed,
  inbox.message_count, inbox.size_bytes, inbox.faults_until, inbox.keep_messages,
  inbox.flood_started_at, inbox.flood_mails, inbox.flood_earlier,
  ${hasSpooledMail(isShared, { accountId: 'inbox.account_id', inboxId: 'inbox.id' })}
    as has_spooled_mail`
const SELECT_SHARED = selectRecipient(true)
const SELECT_OWN = selectRecipient(false)

const unchanged = (placeholder: string) => placeholder
const asInteger = (placeholder: string) => `cast(${placeholder} as bigint)`

/** Both databases name the columns of a list of values column1, column2 and so on. */
const SET_FILL: RowsStatement = {
  sql: (rows) =>
    `update inbox set message_count = fill.column2, size_bytes = fill.column3,
       last_sequence = fill.column4, flood_started_at = fill.column5, flood_mails = fill.column6,
       flood_earlier = fill.column7
     from (${rows}) as fill where inbox.id = fill.column1`,
  values: [unchanged, asInteger, asInteger, asInteger, asInteger, asInteger, unchanged],
}

const FILL_TYPES: FilledStatement['types'] = [
  ...(['text', 'integer', 'integer', 'integer', 'integer', 'integer', 'text'] as const),
]

/** The statement that writes how full inboxes are. */
export function fillUpdate(inboxes: readonly InboxFill[]): FilledStatement {
  const rows = inboxes.map((inbox) => [
    inbox.id,
    inbox.messageCount,
    inbox.sizeBytes,
    inbox.lastSequence,
    inbox.flood.startedAt,
    inbox.flood.mails,
    earlierColumn(inbox.flood),
  ])
  return { statement: SET_FILL, types: FILL_TYPES, rows }
}

/** Queries of the receiving side. None takes an owner: the sender of a mail has no account. */
export class ReceivingQueries {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  get #select(): string {
    return this.#dialect.isShared ? SELECT_SHARED : SELECT_OWN
  }

  /** The inbox that has an address, in any state; of several, the newest. */
  async findRecipient(address: string): Promise<Recipient | null> {
    const [row] = await this.#statements.run<RecipientRow>(
      `${this.#select} from address
         join inbox on inbox.id = address.inbox_id
         join account on account.id = inbox.account_id
         where address.address = ${this.#dialect.placeholder(1)}`,
      [address],
    )
    return row === undefined ? null : toRecipient(row)
  }

  /** The same for several addresses; null for those that no inbox has. */
  async listRecipients(addresses: readonly string[]): Promise<(Recipient | null)[]> {
    const { among, list } = this.#dialect
    const rows = await this.#statements.run<RecipientRow & { asked: string }>(
      `${this.#select}, address.address as asked from address
         join inbox on inbox.id = address.inbox_id
         join account on account.id = inbox.account_id
         where address.address ${among(1)}`,
      [list(addresses)],
    )
    const found = new Map(rows.map((row) => [row.asked, toRecipient(row)]))
    return addresses.map((address) => found.get(address) ?? null)
  }

  /** The inbox with an id, in any state. */
  async findInbox(id: string): Promise<Recipient | null> {
    const [row] = await this.#statements.run<RecipientRow>(
      `${this.#select} from inbox
         join account on account.id = inbox.account_id
         where inbox.id = ${this.#dialect.placeholder(1)}`,
      [id],
    )
    return row === undefined ? null : toRecipient(row)
  }

  /** Unexpired inboxes that have one of these addresses. */
  async listByAddress(
    addresses: readonly string[],
    now: number,
  ): Promise<{ inboxId: InboxId; accountId: AccountId; address: string }[]> {
    const { among, placeholder, list } = this.#dialect
    const rows = await this.#statements.run<Pick<RecipientRow, 'id' | 'account_id' | 'address'>>(
      `select inbox.id, inbox.account_id, address.address from address
         join inbox on inbox.id = address.inbox_id
         where address.address ${among(1)} and inbox.expires_at > ${placeholder(2)}`,
      [list(addresses), now],
    )
    return rows.map((row) => ({ inboxId: row.id, accountId: row.account_id, address: row.address }))
  }

  /**
   * Locks inboxes until the end of the transaction and returns how full they are. Those that others
   * have locked are waited for, or left out.
   */
  async lockInboxes(
    ids: readonly InboxId[],
    ifLocked: 'wait' | 'leaveOut' = 'wait',
  ): Promise<InboxFill[]> {
    const { among, list, forUpdate, skipLocked } = this.#dialect
    // In the order of their ids, so that no two transactions deadlock.
    const rows = await this.#statements.run<FillRow>(
      `select id, account_id, address, message_count, size_bytes, last_sequence,
         flood_started_at, flood_mails, flood_earlier, keep_messages,
         exists (select 1 from webhook
           where webhook.account_id = inbox.account_id and disabled_at is null) as has_webhooks
         from inbox
         where id ${among(1)} order by id${ifLocked === 'wait' ? forUpdate : skipLocked}`,
      [list(ids)],
    )
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      address: row.address,
      messageCount: row.message_count,
      sizeBytes: row.size_bytes,
      lastSequence: row.last_sequence,
      flood: readFlood(row),
      keepMessages: row.keep_messages,
      hasWebhooks: row.has_webhooks === true || row.has_webhooks === 1,
    }))
  }

  /** Writes how full inboxes are. */
  async setFill(inboxes: readonly InboxFill[]): Promise<void> {
    const { statement, rows } = fillUpdate(inboxes)
    await executeRows({ statements: this.#statements, dialect: this.#dialect }, statement, rows)
  }

  /** Bytes of mail in all inboxes of an account. */
  async sumBytes(accountId: AccountId): Promise<number> {
    const [row] = await this.#statements.run<{ bytes: number }>(
      `select cast(coalesce(sum(size_bytes), 0) as bigint) as bytes from inbox
         where account_id = ${this.#dialect.placeholder(1)}`,
      [accountId],
    )
    return row?.bytes ?? 0
  }

  /** Suspends an inbox; false when it is suspended or deleted already. */
  async suspend(id: InboxId, at: number, reason: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('inbox')
      .set({ suspended_at: at, suspended_reason: reason })
      .where('id', '=', id)
      .where('suspended_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}

/** The start of the newest part, and the mails in the parts before it, as JSON. */
function earlierColumn({ startedAt, earlier }: FloodWindow): string | null {
  return earlier.length === 0 ? null : JSON.stringify([startedAt, ...earlier])
}

const NONE: readonly number[] = []

function readEarlier(row: Pick<FillRow, 'flood_started_at' | 'flood_earlier'>): readonly number[] {
  if (row.flood_earlier === null) return NONE
  // Written by `earlierColumn`.
  const [startedAt, ...earlier] = JSON.parse(row.flood_earlier) as number[]
  // A node of an older version begins a new window without it, when this one is over.
  return startedAt === row.flood_started_at ? earlier : NONE
}

function readFlood(
  row: Pick<FillRow, 'flood_started_at' | 'flood_mails' | 'flood_earlier'>,
): FloodWindow {
  return { startedAt: row.flood_started_at, mails: row.flood_mails, earlier: readEarlier(row) }
}

function toRecipient(row: RecipientRow): Recipient {
  return {
    inboxId: row.id,
    accountId: row.account_id,
    plan: row.plan,
    address: row.address,
    expiresAt: row.expires_at,
    isSuspended: row.suspended !== null,
    isDomainRemoved: Boolean(row.domain_removed),
    messageCount: row.message_count,
    sizeBytes: row.size_bytes,
    faultsUntil: row.faults_until,
    keepMessages: row.keep_messages,
    flood: readFlood(row),
    hasSpooledMail: row.has_spooled_mail === true,
  }
}
