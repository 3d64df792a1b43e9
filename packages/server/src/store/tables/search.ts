import type { AccountId, MessageId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import { StorageUnavailable } from '../../errors.ts'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

type MessageKey = { readonly id: MessageId; readonly accountId: AccountId }

/** A message that is to be added to the index. */
export type UnindexedMessage = MessageKey & {
  readonly receivedAt: number
  readonly sizeBytes: number
}

/** A message with its folded text, as it is added. */
type NewEntry = { readonly message: MessageKey; readonly text: string }

/** A message of the index; entries are numbered in the order in which they were added. */
export type SearchEntry = { readonly number: number; readonly messageId: MessageId }

/** Where a list continues: with the entries of lower numbers. */
export type SearchPlace = {
  readonly before: number
  /** Whether the entries are compared one by one, because the index is too slow for the texts. */
  readonly isCompared: boolean
}

/** Entries of a list; `next` is null at its end. A page may be empty before the end. */
export type SearchPage = {
  readonly entries: readonly SearchEntry[]
  readonly next: SearchPlace | null
}

/** Characters of a piece of text by which SQLite's index finds. */
const PIECE_CHARS = 3

/** Pieces in one query: more make it slower, and hardly more selective. */
const PIECES_MAX = 24

/** Texts by which PostgreSQL's index finds: it has only letters and digits, in pieces of three. */
const INDEXED_BY_POSTGRES = /[\p{L}\p{N}]{3}/u

/** How much PostgreSQL does for one page of a list. */
type Limits = {
  /** Newest entries that are compared without the index: some 30 ms. */
  readonly newestEntries: number
  /** Longest time of a look-up in the index. */
  readonly indexMs: number
  /** Entries of a page that are compared one by one where the index is too slow: some 150 ms. */
  readonly comparedEntries: number
}

const LIMITS: Limits = { newestEntries: 1_000, indexMs: 1_000, comparedEntries: 5_000 }

/** A statement was cancelled, as by its time limit. */
const QUERY_CANCELED = '57014'

/** The name of the one row of state. */
const NAME = 'messages'

const INDEXED_TO = sql`coalesce((select indexed_to from search_state), '')`

/** The index for searches over all inboxes of an account. */
export class SearchIndex {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #limits: Limits

  constructor(db: Kysely<Schema>, dialect: Dialect, limits = LIMITS) {
    this.#db = db
    this.#dialect = dialect
    this.#limits = limits
  }

  /** Messages of all accounts that are not in the index, oldest first. */
  async listUnindexed(limit: number): Promise<UnindexedMessage[]> {
    const { rows } = await sql<UnindexedMessage>`
      select message.id, inbox.account_id as "accountId", message.received_at as "receivedAt",
        message.size_bytes as "sizeBytes"
      from message join inbox on inbox.id = message.inbox_id
      where message.id > ${INDEXED_TO}
        and not exists (select 1 from search_entry where search_entry.message_id = message.id)
      order by message.id limit ${limit}`.execute(this.#db)
    return rows
  }

  /**
   * Adds messages with their folded texts, except deleted ones and those being deleted; returns the
   * messages that the index has then. In a transaction.
   */
  async add(entries: readonly NewEntry[]): Promise<ReadonlySet<MessageId>> {
    const ids = entries.map(({ message }) => message.id)
    // Without waiting for locked rows: deleting messages locks them in another order.
    const { rows } = await sql<{ id: MessageId }>`
      select id from message
      where ${this.#dialect.isAmong('id', ids)}${sql.raw(this.#dialect.skipDeleted)}`.execute(
      this.#db,
    )
    const kept = new Set(rows.map(({ id }) => id))
    const added = entries.filter(({ message }) => kept.has(message.id))
    if (this.#dialect.name === 'sqlite') {
      for (const entry of added) await this.#addWithPieces(entry)
    } else await this.#addWithTexts(added)
    return kept
  }

  async #addWithTexts(entries: readonly NewEntry[]): Promise<void> {
    const ids = entries.map(({ message }) => message.id)
    const accountIds = entries.map(({ message }) => message.accountId)
    const texts = entries.map(({ text }) => text)
    await sql`insert into search_entry (message_id, account_id, text)
      select * from unnest(${ids}::text[], ${accountIds}::text[], ${texts}::text[])
      on conflict (message_id) do nothing`.execute(this.#db)
  }

  async #addWithPieces({ message: { id, accountId }, text }: NewEntry): Promise<void> {
    const { rows } = await sql<{ number: number }>`
      insert into search_entry (message_id, account_id) values (${id}, ${accountId})
      on conflict (message_id) do nothing returning number`.execute(this.#db)
    const [added] = rows
    if (added === undefined) return
    await sql`insert into search_text (rowid, text) values (${added.number}, ${text})`.execute(
      this.#db,
    )
  }

  /** Notes that the messages up to this id are in the index. */
  async setIndexedTo(id: string): Promise<void> {
    await sql`insert into search_state (name, indexed_to, leased_until, node)
      values (${NAME}, ${id}, 0, '')
      on conflict (name) do update set indexed_to = excluded.indexed_to
      where search_state.indexed_to < excluded.indexed_to`.execute(this.#db)
  }

  /** Up to which message the index is complete. */
  async indexedTo(): Promise<string> {
    const { rows } = await sql<{ id: string }>`select ${INDEXED_TO} as id`.execute(this.#db)
    return rows[0]?.id ?? ''
  }

  /** Notes that messages from this id on may not be in the index. */
  async goBackTo(id: string): Promise<void> {
    await sql`update search_state set indexed_to = ${id}
      where name = ${NAME} and indexed_to > ${id}`.execute(this.#db)
  }

  /**
   * Whether this node may add to the index until then; false when another one does. A lease that
   * lasts far longer than this one is from before the clock was set back.
   */
  async lease(node: string, now: number, until: number): Promise<boolean> {
    const { rows } = await sql`insert into search_state (name, indexed_to, leased_until, node)
      values (${NAME}, '', ${until}, ${node})
      on conflict (name) do update
        set leased_until = excluded.leased_until, node = excluded.node
      where search_state.node = excluded.node or search_state.leased_until <= ${now}
        or search_state.leased_until > ${until + (until - now)}
      returning name`.execute(this.#db)
    return rows.length === 1
  }

  /** When the oldest message was received that is not in the index; null when all are. */
  async oldestUnindexedAt(): Promise<number | null> {
    const [oldest] = await this.listUnindexed(1)
    return oldest?.receivedAt ?? null
  }

  /** The number of the newest entry; 0 without one. */
  async lastNumber(): Promise<number> {
    const { rows } = await sql<{ number: number | null }>`
      select max(number) as number from search_entry`.execute(this.#db)
    return rows[0]?.number ?? 0
  }

  /** Messages of an account that are not among the entries up to a number, newest first. */
  async listNew(
    owner: AccountId,
    page: { readonly lastNumber: number; readonly before: string | null; readonly limit: number },
  ): Promise<MessageId[]> {
    const { rows } = await sql<{ id: MessageId }>`
      select message.id from message
      join inbox on inbox.id = message.inbox_id
      where message.id > ${INDEXED_TO} and inbox.account_id = ${owner}
        and ${page.before === null ? sql`1 = 1` : sql`message.id < ${page.before}`}
        and not exists (select 1 from search_entry
          where search_entry.message_id = message.id and number <= ${page.lastNumber})
      order by message.id desc limit ${page.limit}`.execute(this.#db)
    return rows.map(({ id }) => id)
  }

  /**
   * Entries of an account from a place on, newest first, that may contain all of these folded
   * texts. Texts that are too short for the index are left out.
   */
  async list(
    owner: AccountId,
    page: { readonly texts: readonly string[]; readonly from: SearchPlace; readonly limit: number },
  ): Promise<SearchPage> {
    const { texts, from, limit } = page
    if (this.#dialect.name === 'sqlite') {
      const pieces = [...new Set(texts.flatMap(piecesOf))].slice(0, PIECES_MAX)
      if (pieces.length > 0) {
        return pageOf(await this.#listWithPieces(owner, { pieces, ...from, limit }), limit)
      }
    } else {
      const indexed = texts.filter((text) => INDEXED_BY_POSTGRES.test(text))
      if (indexed.length > 0) return this.#listNewestFirst(owner, { ...page, texts: indexed })
    }
    const { rows } = await sql<SearchEntry>`
      select number, message_id as "messageId" from search_entry
      where account_id = ${owner} and number < ${from.before}
      order by number desc limit ${limit}`.execute(this.#db)
    return pageOf(rows, limit)
  }

  /**
   * PostgreSQL collects and compares all entries that have the pieces of a text before it sorts
   * them: of 1,000,000 mails that takes half a minute where each has them. So the newest are
   * compared one by one first, and often suffice. Then the index is queried for at most a second; a
   * text that takes longer is in many entries, or its pieces are, and the rest is compared part by
   * part.
   */
  async #listNewestFirst(
    owner: AccountId,
    { texts, from, limit }: Parameters<SearchIndex['list']>[1],
  ): Promise<SearchPage> {
    const contained = sql.join(
      texts.map((text) => sql`text like ${`%${escapePattern(text)}%`}`),
      sql` and `,
    )
    const { newestEntries, comparedEntries, indexMs } = this.#limits
    const count = from.isCompared ? comparedEntries : newestEntries
    const start = await this.#startOf(owner, from.before, count)
    // The inner limit keeps PostgreSQL from using the index here.
    const { rows: newest } = await sql<SearchEntry>`
      select number, message_id as "messageId" from (
        select number, message_id, text from search_entry
        where account_id = ${owner} and number < ${from.before}
        order by number desc limit ${count}) as newest
      where ${contained} order by number desc limit ${limit}`.execute(this.#db)
    if (newest.length === limit || start === null) {
      return pageOf(newest, limit, from.isCompared)
    }
    const rest = { before: start, isCompared: true }
    if (from.isCompared) return { entries: newest, next: rest }
    const older = await within(this.#db, indexMs, (tx) =>
      sql<SearchEntry>`
        select number, message_id as "messageId" from search_entry
        where account_id = ${owner} and number < ${start} and ${contained}
        order by number desc limit ${limit - newest.length}`.execute(tx),
    )
    if (older === null) return { entries: newest, next: rest }
    return pageOf([...newest, ...older.rows], limit)
  }

  /** The number of the last of so many entries before one; null if there are fewer. */
  async #startOf(owner: AccountId, before: number, count: number): Promise<number | null> {
    const { rows } = await sql<{ number: number }>`
      select number from search_entry where account_id = ${owner} and number < ${before}
      order by number desc offset ${count - 1} limit 1`.execute(this.#db)
    return rows[0]?.number ?? null
  }

  async #listWithPieces(
    owner: AccountId,
    page: { readonly pieces: readonly string[]; readonly before: number; readonly limit: number },
  ): Promise<SearchEntry[]> {
    const { pieces, before, limit } = page
    const match = pieces.map((piece) => `"${piece.replaceAll('"', '""')}"`).join(' AND ')
    const { rows } = await sql<SearchEntry>`
      select number, message_id as "messageId" from search_text
      join search_entry on search_entry.number = search_text.rowid
      where search_text match ${match} and search_text.rowid < ${before} and account_id = ${owner}
      order by search_text.rowid desc limit ${limit}`.execute(this.#db)
    return rows
  }
}

/** A page of at most `limit` entries; one with fewer is the last. */
function pageOf(entries: readonly SearchEntry[], limit: number, isCompared = false): SearchPage {
  const last = entries.length === limit ? entries.at(-1) : undefined
  return { entries, next: last === undefined ? null : { before: last.number, isCompared } }
}

/** The result of a statement of PostgreSQL; null when it exceeds this time. */
async function within<T>(
  db: Kysely<Schema>,
  ms: number,
  run: (tx: Kysely<Schema>) => Promise<T>,
): Promise<T | null> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql.raw(`set local statement_timeout = ${ms}`).execute(tx)
      return await run(tx)
    })
  } catch (error) {
    const { cause } = error instanceof StorageUnavailable ? error : {}
    if (cause instanceof Error && 'code' in cause && cause.code === QUERY_CANCELED) return null
    throw error
  }
}

/**
 * All pieces of a text; none for one that is shorter than a piece. Overlapping ones, too: `app`,
 * `7@e` and `xam` are in many addresses, `p7@` is in few.
 */
function piecesOf(text: string): string[] {
  const chars = [...text]
  const count = Math.max(0, chars.length - PIECE_CHARS + 1)
  return Array.from({ length: count }, (_, at) => chars.slice(at, at + PIECE_CHARS).join(''))
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
