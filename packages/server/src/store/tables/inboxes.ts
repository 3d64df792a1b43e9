import type {
  AccountId,
  Environment,
  Inbox,
  InboxId,
  InboxListState,
  InboxState,
  Plan,
} from '@mayfly/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { NEVER } from '../../expiry.ts'
import { type Access, compiledOnce } from '../compiled-query.ts'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { isoTime } from '../time.ts'
import type { StoredSize } from './mails.ts'

/** An inbox as it is written. */
export type NewInbox = {
  readonly id: InboxId
  readonly address: string
  readonly domain: string
  readonly environment: Environment
  readonly createdAt: number
  readonly expiresAt: number
  /** How many of its newest messages a catch-all inbox keeps; null for any other inbox. */
  readonly keepMessages: number | null
}

/** An inbox that has expired, and the plan of its account. */
export type ExpiredInbox = {
  readonly id: InboxId
  readonly accountId: AccountId
  readonly expiresAt: number
  readonly plan: Plan
  readonly messageCount: number
}

/** An inbox as streams follow it. */
export type InboxPosition = {
  readonly id: InboxId
  readonly accountId: AccountId
  readonly expiresAt: number
  /** Number of its newest message. */
  readonly lastSequence: number
  readonly messageCount: number
  readonly readCount: number
}

const POSITION_COLUMNS = [
  'id',
  'account_id as accountId',
  'expires_at as expiresAt',
  'last_sequence as lastSequence',
  'message_count as messageCount',
  'read_count as readCount',
] as const

/** A page of an account's inboxes. */
export type InboxPage = {
  readonly state: InboxListState
  /** Only inboxes that are older than the one with this id. */
  readonly before: string | null
  readonly limit: number
  readonly now: number
}

/** Inboxes. */
export class Inboxes {
  readonly #access: Access
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(access: Access, dialect: Dialect) {
    this.#access = access
    this.#db = access.db
    this.#dialect = dialect
  }

  /** Writes a new inbox, which is active. */
  async add(owner: AccountId, inbox: NewInbox): Promise<Inbox> {
    const row = {
      id: inbox.id,
      account_id: owner,
      address: inbox.address,
      domain: inbox.domain,
      environment: inbox.environment,
      created_at: inbox.createdAt,
      expires_at: inbox.expiresAt,
      suspended_at: null,
      suspended_reason: null,
      message_count: 0,
      size_bytes: 0,
      last_sequence: 0,
      flood_started_at: 0,
      flood_mails: 0,
      read_count: 0,
      faults_until: 0,
      keep_messages: inbox.keepMessages,
    }
    await this.#db.insertInto('inbox').values(row).execute()
    return toInbox(row, inbox.createdAt)
  }

  /** Inboxes, newest first, from after the one with the id `before`. */
  async list(owner: AccountId, page: InboxPage): Promise<Inbox[]> {
    const { before, limit, now } = page
    let query = this.#db
      .selectFrom('inbox')
      .select(INBOX_COLUMNS)
      .where(inState(owner, page))
      .orderBy('id', 'desc')
      .limit(limit)
    if (before !== null) query = query.where(sql<boolean>`id < ${before}`)
    return (await query.execute()).map((row) => toInbox(row, now))
  }

  /** The account's inbox in any state, or null. */
  async find(owner: AccountId, id: InboxId, now: number): Promise<Inbox | null> {
    const [row] = await findInbox(this.#access, { owner, id })
    return row === undefined ? null : toInbox(row, now)
  }

  /** The account's catch-all inboxes, oldest first. */
  async listProjects(owner: AccountId, now: number): Promise<Inbox[]> {
    const rows = await this.#db
      .selectFrom('inbox')
      .select(INBOX_COLUMNS)
      .where('account_id', '=', owner)
      .where('keep_messages', 'is not', null)
      .orderBy('id')
      .execute()
    return rows.map((row) => toInbox(row, now))
  }

  /**
   * Purges an inbox with its messages; null when there is no such inbox. Its mails, which other
   * inboxes may share, and its deliveries, which may be many, are deleted by store/purge.ts.
   */
  async purge(
    owner: AccountId,
    id: InboxId,
  ): Promise<{
    address: string
    mails: readonly { readonly mailId: string; readonly sizeBytes: number }[]
  } | null> {
    // Locked first: a mail that is stored meanwhile is then either listed here or finds no inbox.
    await sql`select id from inbox where account_id = ${owner} and id = ${id}${sql.raw(
      this.#dialect.forUpdate,
    )}`.execute(this.#db)
    const mails = await this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .select(['message.mail_id', 'message.size_bytes'])
      .where('inbox.account_id', '=', owner)
      .where('inbox.id', '=', id)
      .execute()
    const purged = await this.#db
      .deleteFrom('inbox')
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .returning('address')
      .executeTakeFirst()
    if (purged === undefined) return null
    return {
      address: purged.address,
      mails: mails.map((row) => ({ mailId: row.mail_id, sizeBytes: row.size_bytes })),
    }
  }

  /**
   * Purges inboxes of any account, as `purge` does. Returns their mails with ids from `mailsFrom`
   * on. On PostgreSQL.
   */
  async purgeDue(
    ids: readonly InboxId[],
    { now, mailsFrom }: { readonly now: number; readonly mailsFrom: string },
  ): Promise<{ readonly purged: readonly InboxId[]; readonly mails: readonly StoredSize[] }> {
    const { isAmong, forUpdate } = this.#dialect
    const { rows: locked } = await sql<{ id: InboxId; address: string }>`
      select id, address from inbox where ${isAmong('id', ids)}
      order by id${sql.raw(forUpdate)}`.execute(this.#db)
    const due = locked.map(({ id }) => id)
    const { rows: mails } = await sql<StoredSize>`
      select mail_id as "mailId", size_bytes as "sizeBytes" from message
      where ${isAmong('inbox_id', due)}
        and mail_id >= ${mailsFrom}`.execute(this.#db)
    await sql`delete from inbox where ${isAmong('id', due)}`.execute(this.#db)
    const addresses = locked.map(({ address }) => address)
    await sql`update address set occupied_until = ${now}
      where ${isAmong('address', addresses)} and ${isAmong('inbox_id', due)}
        and occupied_until > ${now}`.execute(this.#db)
    return { purged: due, mails }
  }

  /**
   * Inboxes of any account that expired after one of them and until then, in the order of expiry.
   * Of all plans: with a condition on the plan, a query would read any number of others.
   */
  async listExpired(page: {
    readonly after: { readonly expiresAt: number; readonly id: string }
    readonly until: number
    readonly limit: number
  }): Promise<ExpiredInbox[]> {
    const { after, until, limit } = page
    const rows = await this.#db
      .selectFrom('inbox')
      .innerJoin('account', 'account.id', 'inbox.account_id')
      .select(['inbox.id', 'inbox.account_id', 'inbox.expires_at', 'account.plan'])
      .select('inbox.message_count')
      .where(sql<boolean>`(inbox.expires_at, inbox.id) > (${after.expiresAt}, ${after.id})`)
      .where('inbox.expires_at', '<=', until)
      .orderBy('inbox.expires_at')
      .orderBy('inbox.id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      expiresAt: row.expires_at,
      plan: row.plan,
      messageCount: row.message_count,
    }))
  }

  /** How full an inbox is; null when there is no such inbox. */
  async findFill(
    owner: AccountId,
    id: InboxId,
  ): Promise<{ readonly messageCount: number; readonly sizeBytes: number } | null> {
    const row = await this.#db
      .selectFrom('inbox')
      .select(['message_count as messageCount', 'size_bytes as sizeBytes'])
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    return row ?? null
  }

  /** Number of the newest message of an inbox, and its state; null when there is none. */
  async findProgress(
    owner: AccountId,
    id: InboxId,
    now: number,
  ): Promise<{ lastSequence: number; state: InboxState } | null> {
    const [row] = await findProgress(this.#access, { owner, id })
    if (row === undefined) return null
    return { lastSequence: row.last_sequence, state: inboxState(row, now) }
  }

  /** The same for many inboxes of any account; deleted ones are left out. */
  async lastSequences(ids: readonly InboxId[]): Promise<Map<InboxId, number>> {
    const rows = await this.#db
      .selectFrom('inbox')
      .select(['id', 'last_sequence'])
      .where(this.#dialect.isAmong('id', ids))
      .execute()
    return new Map(rows.map((row) => [row.id, row.last_sequence]))
  }

  /** These inboxes, of any account; deleted ones are left out. */
  async listPositions(ids: readonly InboxId[]): Promise<InboxPosition[]> {
    return this.#db
      .selectFrom('inbox')
      .select(POSITION_COLUMNS)
      .where(this.#dialect.isAmong('id', ids))
      .execute()
  }

  /** An account's inboxes that expire after that one, in the order of expiry. */
  async listUnexpired(
    owner: AccountId,
    page: {
      readonly after: { readonly expiresAt: number; readonly id: string }
      readonly limit: number
    },
  ): Promise<InboxPosition[]> {
    const { expiresAt, id } = page.after
    return this.#db
      .selectFrom('inbox')
      .select(POSITION_COLUMNS)
      .where('account_id', '=', owner)
      .where(sql<boolean>`(expires_at, id) > (${expiresAt}, ${id})`)
      .orderBy('expires_at')
      .orderBy('id')
      .limit(page.limit)
      .execute()
  }

  /**
   * Expires so many of an account's inboxes on a domain, and releases their addresses; returns how
   * many. In a transaction.
   */
  async expireOnDomain(
    owner: AccountId,
    domain: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<number> {
    const { isAmong, forUpdate } = this.#dialect
    // The inboxes first and in the order of their ids, as receiving and purges lock them.
    const { rows } = await sql<{ id: InboxId; address: string }>`select id, address from inbox
      where expires_at > ${now} and id in (select id from inbox
        where account_id = ${owner} and domain = ${domain} and expires_at > ${now}
        order by expires_at limit ${limit})
      order by id${sql.raw(forUpdate)}`.execute(this.#db)
    const addresses = rows.map(({ address }) => address)
    await sql`update address set occupied_until = ${now}
      where ${isAmong('address', addresses)} and occupied_until > ${now}`.execute(this.#db)
    const ids = rows.map(({ id }) => id)
    await sql`update inbox set expires_at = ${now} where ${isAmong('id', ids)}`.execute(this.#db)
    return rows.length
  }

  /** Unexpired inboxes on a domain, counted up to a number. */
  async countOnDomain(domain: string, now: number, upTo: number): Promise<number> {
    const some = this.#db
      .selectFrom('inbox')
      .select('id')
      .where('domain', '=', domain)
      .where('expires_at', '>', now)
      .limit(upTo)
    const { count } = await this.#db
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }
}

/**
 * The inboxes of an account in a state.
 *
 * An account may have many expired inboxes and few others. These are found by their expiry in a
 * query of their own, because a database would rather read them all in the order of their ids;
 * `+ 0` keeps it from sorting all expired ones.
 */
function inState(owner: AccountId, { state, now }: InboxPage) {
  const own = sql<boolean>`account_id = ${owner}`
  switch (state) {
    case 'all':
      return own
    case 'expired':
      return sql<boolean>`${own} and expires_at + 0 <= ${now}`
    case 'suspended':
      return sql<boolean>`${own} and suspended_at is not null and expires_at + 0 > ${now}`
    case 'active':
    case 'unexpired': {
      const isActive = state === 'active' ? sql` and suspended_at is null` : sql``
      return sql<boolean>`id in (select id from inbox where ${own} and expires_at > ${now})${isActive}`
    }
  }
}

const INBOX_COLUMNS = [
  'id',
  'address',
  'created_at',
  'expires_at',
  'suspended_at',
  'message_count',
  'read_count',
  'environment',
  'last_sequence',
  'keep_messages',
] as const

type InboxRow = Pick<Selectable<Schema['inbox']>, (typeof INBOX_COLUMNS)[number]>

/** An inbox, and the account that it must belong to. */
type OwnInbox = { readonly owner: AccountId; readonly id: InboxId }

const ownInbox = (db: Kysely<Schema>, { owner, id }: OwnInbox) =>
  db.selectFrom('inbox').where('account_id', '=', owner).where('id', '=', id)

const findInbox = compiledOnce((db, given: OwnInbox) => ownInbox(db, given).select(INBOX_COLUMNS))

const findProgress = compiledOnce((db, given: OwnInbox) =>
  ownInbox(db, given).select(['last_sequence', 'expires_at', 'suspended_at']),
)

function toInbox(row: InboxRow, now: number): Inbox {
  return {
    id: row.id,
    emailAddress: row.address,
    createdAt: isoTime(row.created_at),
    expiresAt: row.expires_at === NEVER ? null : isoTime(row.expires_at),
    messageCount: row.message_count,
    unreadCount: row.message_count - row.read_count,
    state: inboxState(row, now),
    environment: row.environment,
    watermark: String(row.last_sequence),
    catchAll: row.keep_messages !== null,
    keepMessages: row.keep_messages,
  }
}

/** Expiry takes precedence: a suspended inbox that has expired cannot be resumed. */
function inboxState(
  row: Pick<Selectable<Schema['inbox']>, 'expires_at' | 'suspended_at'>,
  now: number,
): InboxState {
  if (row.expires_at <= now) return 'expired'
  return row.suspended_at === null ? 'active' : 'suspended'
}
