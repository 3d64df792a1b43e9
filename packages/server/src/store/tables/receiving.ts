import type { AccountId, InboxId, Plan } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import {
  executeRows,
  type RowsStatement,
  type Statements,
  type UsageStatement,
} from '../statements.ts'
import { isOnRemovedDomain } from './domains.ts'

/** The facts that decide whether an inbox accepts mail. */
export type Recipient = {
  readonly inboxId: InboxId
  readonly accountId: AccountId
  readonly plan: Plan
  readonly address: string
  readonly expiresAt: number
  readonly isSuspended: boolean
  /** Whether its account is being moved to another cell. */
  readonly isMoving: boolean
  /** Whether the domain of the inbox is being removed. */
  readonly isDomainRemoved: boolean
  readonly messageCount: number
  readonly sizeBytes: number
  /** Until when the inbox may have fault rules. */
  readonly faultsUntil: number
  /** How many of its newest messages a catch-all inbox keeps; null for any other inbox. */
  readonly keepMessages: number | null
  readonly flood: FloodWindow
}

/** Mails for an inbox, stored or refused because it is full, since a window began. */
export type FloodWindow = { readonly startedAt: number; readonly mails: number }

/** How full an inbox is. */
export type InboxUsage = {
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
  /** As of a `Recipient`. */
  readonly isMoving: boolean
}

type RecipientRow = {
  id: InboxId
  account_id: AccountId
  plan: Plan
  address: string
  expires_at: number
  suspended: number | null
  moving_to: string | null
  domain_removed: number | boolean
  message_count: number
  size_bytes: number
  faults_until: number
  keep_messages: number | null
  flood_started_at: number
  flood_mails: number
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
  keep_messages: number | null
  has_webhooks: number | boolean
  moving_to: string | null
}

const SELECT_RECIPIENT = `select inbox.id, inbox.account_id, account.plan, inbox.address,
  inbox.expires_at,
  coalesce(inbox.suspended_at, account.suspended_at) as suspended, account.moving_to,
  ${isOnRemovedDomain({ domain: 'inbox.domain', owner: 'inbox.account_id' })} as domain_removed,
  inbox.message_count, inbox.size_bytes, inbox.faults_until, inbox.keep_messages,
  inbox.flood_started_at, inbox.flood_mails`

const unchanged = (placeholder: string) => placeholder
const asInteger = (placeholder: string) => `cast(${placeholder} as bigint)`

/** Both databases name the columns of a list of values column1, column2 and so on. */
const SET_FILL: RowsStatement = {
  sql: (rows) =>
    `update inbox set message_count = fill.column2, size_bytes = fill.column3,
       last_sequence = fill.column4, flood_started_at = fill.column5, flood_mails = fill.column6
     from (${rows}) as fill where inbox.id = fill.column1`,
  values: [unchanged, asInteger, asInteger, asInteger, asInteger, asInteger],
}

const FILL_TYPES: UsageStatement['types'] = [
  ...(['text', 'integer', 'integer', 'integer', 'integer', 'integer'] as const),
]

/** The statement that writes how full inboxes are. */
export function usageUpdate(inboxes: readonly InboxUsage[]): UsageStatement {
  const rows = inboxes.map((inbox) => [
    inbox.id,
    inbox.messageCount,
    inbox.sizeBytes,
    inbox.lastSequence,
    inbox.flood.startedAt,
    inbox.flood.mails,
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

  /** The inbox that has an address, in any state; of several, the newest. */
  async findRecipient(address: string): Promise<Recipient | null> {
    const [row] = await this.#statements.run<RecipientRow>(
      `${SELECT_RECIPIENT} from address
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
      `${SELECT_RECIPIENT}, address.address as asked from address
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
      `${SELECT_RECIPIENT} from inbox
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
   * Locks inboxes until the end of the transaction and returns how full they are. Locked ones are
   * waited for, or left out.
   */
  async lockInboxes(
    ids: readonly InboxId[],
    ifLocked: 'wait' | 'leaveOut' = 'wait',
  ): Promise<InboxUsage[]> {
    const { among, list, forUpdate, skipLocked } = this.#dialect
    // In the order of their ids, so that no two transactions deadlock.
    const rows = await this.#statements.run<FillRow>(
      `select id, account_id, address, message_count, size_bytes, last_sequence,
         flood_started_at, flood_mails, keep_messages,
         exists (select 1 from webhook
           where webhook.account_id = inbox.account_id and disabled_at is null) as has_webhooks,
         (select moving_to from account where account.id = inbox.account_id) as moving_to
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
      flood: { startedAt: row.flood_started_at, mails: row.flood_mails },
      keepMessages: row.keep_messages,
      hasWebhooks: row.has_webhooks === true || row.has_webhooks === 1,
      isMoving: row.moving_to !== null,
    }))
  }

  /** Writes how full inboxes are. */
  async setUsage(inboxes: readonly InboxUsage[]): Promise<void> {
    const { statement, rows } = usageUpdate(inboxes)
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

function toRecipient(row: RecipientRow): Recipient {
  return {
    inboxId: row.id,
    accountId: row.account_id,
    plan: row.plan,
    address: row.address,
    expiresAt: row.expires_at,
    isSuspended: row.suspended !== null,
    isMoving: row.moving_to !== null,
    isDomainRemoved: Boolean(row.domain_removed),
    messageCount: row.message_count,
    sizeBytes: row.size_bytes,
    faultsUntil: row.faults_until,
    keepMessages: row.keep_messages,
    flood: { startedAt: row.flood_started_at, mails: row.flood_mails },
  }
}
