import type { AccountId, MessageId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

type MessageKey = { readonly id: MessageId; readonly accountId: AccountId }

/** A message that is to be added to the index. */
export type UnindexedMessage = MessageKey & {
  readonly receivedAt: number
  readonly sizeBytes: number
}

/** A message of the index; entries are numbered in the order in which they were added. */
export type SearchEntry = { readonly number: number; readonly messageId: MessageId }

/** Newest messages that are looked at for those that are not in the index yet. */
const NEW_MESSAGES_MAX = 5_000

/** Characters of a piece of text by which SQLite's index finds. */
const PIECE_CHARS = 3

/** Pieces in one query: more make it slower, and hardly more selective. */
const PIECES_MAX = 24

/** Texts by which PostgreSQL's index finds: it has only letters and digits, in pieces of three. */
const INDEXED_BY_POSTGRES = /[\p{L}\p{N}]{3}/u

/** Newest entries that PostgreSQL compares without the index: some 30 ms at most. */
const NEWEST_ENTRIES = 1_000

/** The name of the one row of state. */
const NAME = 'messages'

const INDEXED_TO = sql`coalesce((select indexed_to from search_state), '')`

/** The index for searches over all inboxes of an account. */
export class SearchIndex {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
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

  /** Adds messages with their folded texts. In a transaction. */
  async add(
    entries: readonly { readonly message: MessageKey; readonly text: string }[],
  ): Promise<void> {
    for (const { message, text } of entries) {
      if (this.#dialect.name === 'sqlite') await this.#addWithPieces(message, text)
      else {
        // A message that was deleted in the meantime has no entry.
        await sql`insert into search_entry (message_id, account_id, text)
          select id, ${message.accountId}, ${text} from message where id = ${message.id}
          on conflict (message_id) do nothing`.execute(this.#db)
      }
    }
  }

  async #addWithPieces({ id, accountId }: MessageKey, text: string): Promise<void> {
    const { rows } = await sql<{ number: number }>`
      insert into search_entry (message_id, account_id)
      select id, ${accountId} from message where id = ${id}
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

  /** Whether this node may add to the index until then; false when another one does. */
  async lease(node: string, now: number, until: number): Promise<boolean> {
    const { rows } = await sql`insert into search_state (name, indexed_to, leased_until, node)
      values (${NAME}, '', ${until}, ${node})
      on conflict (name) do update
        set leased_until = excluded.leased_until, node = excluded.node
      where search_state.node = excluded.node or search_state.leased_until <= ${now}
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
      select recent.id from (
        select id, inbox_id from message
        where id > ${INDEXED_TO}
        order by id desc limit ${NEW_MESSAGES_MAX}) as recent
      join inbox on inbox.id = recent.inbox_id
      where inbox.account_id = ${owner}
        and ${page.before === null ? sql`1 = 1` : sql`recent.id < ${page.before}`}
        and not exists (select 1 from search_entry
          where search_entry.message_id = recent.id and number <= ${page.lastNumber})
      order by recent.id desc limit ${page.limit}`.execute(this.#db)
    return rows.map(({ id }) => id)
  }

  /**
   * Entries of an account with numbers below `before`, newest first, that may contain all of these
   * folded texts. Texts that are too short for the index are left out.
   */
  async list(
    owner: AccountId,
    page: { readonly texts: readonly string[]; readonly before: number; readonly limit: number },
  ): Promise<SearchEntry[]> {
    const { texts, before, limit } = page
    if (this.#dialect.name === 'sqlite') {
      const pieces = [...new Set(texts.flatMap(piecesOf))].slice(0, PIECES_MAX)
      if (pieces.length > 0) return this.#listWithPieces(owner, { pieces, before, limit })
    } else {
      const indexed = texts.filter((text) => INDEXED_BY_POSTGRES.test(text))
      if (indexed.length > 0) return this.#listNewestFirst(owner, { ...page, texts: indexed })
    }
    const { rows } = await sql<SearchEntry>`
      select number, message_id as "messageId" from search_entry
      where account_id = ${owner} and number < ${before}
      order by number desc limit ${limit}`.execute(this.#db)
    return rows
  }

  /**
   * PostgreSQL collects all entries that a text is in before it sorts them: for a word of every
   * mail that takes seconds. So the newest are compared one by one first, and often suffice.
   */
  async #listNewestFirst(
    owner: AccountId,
    { texts, before, limit }: Parameters<SearchIndex['list']>[1],
  ): Promise<SearchEntry[]> {
    const patterns = texts.map((text) => sql`and text like ${`%${escapePattern(text)}%`}`)
    const listBetween = async (start: number, end: number, most: number) => {
      const { rows } = await sql<SearchEntry>`
        select number, message_id as "messageId" from search_entry
        where account_id = ${owner} and number >= ${start} and number < ${end}
          ${sql.join(patterns, sql` `)}
        order by number desc limit ${most}`.execute(this.#db)
      return rows
    }
    const start = await this.#startOfNewest(owner, before)
    const newest = await listBetween(start, before, limit)
    if (newest.length === limit || start === 0) return newest
    return [...newest, ...(await listBetween(0, start, limit - newest.length))]
  }

  /** The number of the oldest of the newest entries of an account before one; 0 for all of them. */
  async #startOfNewest(owner: AccountId, before: number): Promise<number> {
    const { rows } = await sql<{ number: number }>`
      select number from search_entry where account_id = ${owner} and number < ${before}
      order by number desc offset ${NEWEST_ENTRIES - 1} limit 1`.execute(this.#db)
    return rows[0]?.number ?? 0
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
