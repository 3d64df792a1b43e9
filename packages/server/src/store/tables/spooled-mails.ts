import type { AccountId, InboxId } from '@mayfly/contract'
import type { Dialect } from '../dialect.ts'
import { TRIES_MAX } from '../postgres/spooled-mails.ts'
import { executeTogether, insertion, type Statements } from '../statements.ts'

/** A mail that is accepted, for one inbox. */
export type NewSpooledMail = {
  readonly id: string
  readonly accountId: AccountId
  readonly inboxId: InboxId
  readonly content: Uint8Array
}

/** A mail that its node has left behind. */
export type LeftMail = {
  readonly id: string
  readonly content: Buffer
  /** How often it was taken over, with this time. */
  readonly tries: number
}

const insertMails = insertion('spooled_mail', {
  id: 'text',
  account_id: 'text',
  inbox_id: 'text',
  node: 'text',
  content: 'bytes',
})

/**
 * A condition: a mail of an account, or of one of its inboxes, is accepted and not stored yet. The
 * arguments are expressions of SQL.
 *
 * It looks into the index for one row. For an `exists`, PostgreSQL may read all rows, which are
 * thousands in a burst.
 */
export function hasSpooledMail(
  isShared: boolean,
  of: { readonly accountId: string; readonly inboxId?: string },
): string {
  if (!isShared) return '0'
  const ofInbox = of.inboxId === undefined ? '' : ` and spooled.inbox_id = ${of.inboxId}`
  return `(select spooled.account_id from spooled_mail as spooled
    where spooled.account_id = ${of.accountId}${ofInbox} and spooled.tries < ${TRIES_MAX}
    order by spooled.account_id, spooled.inbox_id limit 1) is not null`
}

/**
 * Mails that nodes have accepted and not stored yet. Whoever stores one deletes its row in the same
 * transaction, so that it is stored once. Only where nodes share the store: SQLite has spools in
 * files.
 */
export class SpooledMails {
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(dialect: Dialect, statements: Statements) {
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Accepts mails, which this node is to store. */
  async add(mails: readonly NewSpooledMail[], node: string): Promise<void> {
    const rows = mails.map(({ id, accountId, inboxId, content }) => ({
      ...{ id, node, content },
      ...{ account_id: accountId, inbox_id: inboxId },
    }))
    const to = { statements: this.#statements, dialect: this.#dialect }
    await executeTogether(to, [insertMails(rows)])
  }

  /** Until then this node is expected to store what it has accepted. */
  async lease(node: string, until: number): Promise<void> {
    const [first, second] = [1, 2].map((number) => this.#dialect.placeholder(number))
    await this.#statements.run(
      `insert into spool_lease (node, leased_until) values (${first}, ${second})
       on conflict (node) do update set leased_until = excluded.leased_until`,
      [node, until],
    )
  }

  /** Ends leases of this node and those that are over. */
  async endLeases(node: string, now: number): Promise<void> {
    const [first, second] = [1, 2].map((number) => this.#dialect.placeholder(number))
    await this.#statements.run(
      `delete from spool_lease where node = ${first} or leased_until <= ${second}`,
      [node, now],
    )
  }

  /** Deletes mails that are being stored; returns those that nobody had stored before. */
  async take(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { among, list } = this.#dialect
    const rows = await this.#statements.run<{ id: string }>(
      `delete from spooled_mail where id ${among(1)} returning id`,
      [list(ids)],
    )
    return new Set(rows.map(({ id }) => id))
  }

  /** Takes over some mails of nodes that have no lease any more. */
  async takeLeft({
    node,
    now,
    limit,
  }: {
    readonly node: string
    readonly now: number
    readonly limit: number
  }): Promise<readonly LeftMail[]> {
    const leased = 'select node from spool_lease where leased_until > $3'
    const changes = 'node = $1, tries = tries + 1'
    return this.#takeOver(changes, `node <> all(array(${leased}))`, [node, limit, now])
  }

  /** Takes over some mails of an account, or of an inbox, from nodes that may be alive. */
  async takeWanted(
    { accountId, inboxId }: { readonly accountId: AccountId; readonly inboxId?: InboxId },
    { node, limit }: { readonly node: string; readonly limit: number },
  ): Promise<readonly LeftMail[]> {
    const others = 'node <> $1 and account_id = $3'
    if (inboxId === undefined) return this.#takeOver('node = $1', others, [node, limit, accountId])
    const ofInbox = `${others} and inbox_id = $4`
    return this.#takeOver('node = $1', ofInbox, [node, limit, accountId, inboxId])
  }

  /**
   * The first two parameters are the name of the new node, and how many it takes.
   *
   * The mails are found first, as an array: PostgreSQL may join a subquery in a loop, and then
   * reads the whole spool again for each of its mails.
   */
  async #takeOver(
    changes: string,
    condition: string,
    parameters: readonly unknown[],
  ): Promise<readonly LeftMail[]> {
    const rows = await this.#statements.run<LeftMail>(
      `update spooled_mail set ${changes} where id = any(array(
         select id from spooled_mail where tries < ${TRIES_MAX} and ${condition}
         order by id limit $2${this.#dialect.skipLocked}))
       returning id, content, tries`,
      parameters,
    )
    return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Keeps a mail that cannot be stored, so that nobody tries again. */
  async setAside(id: string): Promise<void> {
    await this.#statements.run(
      `update spooled_mail set tries = ${TRIES_MAX} where id = ${this.#dialect.placeholder(1)}`,
      [id],
    )
  }

  /** The mails of an account, or of one of its inboxes, that are accepted and not stored yet. */
  async listOf(accountId: AccountId, inboxId?: string): Promise<readonly string[]> {
    const ofInbox = inboxId === undefined ? '' : ' and inbox_id = $2'
    // One value: thousands of rows would hold up the API's thread for longer.
    const [row] = await this.#statements.run<{ ids: string | null }>(
      `select string_agg(id, ' ') as ids from spooled_mail
       where account_id = $1${ofInbox} and tries < ${TRIES_MAX}`,
      inboxId === undefined ? [accountId] : [accountId, inboxId],
    )
    return row?.ids?.split(' ') ?? []
  }

  /** Those of these mails that are not stored yet. */
  async listUnstored(ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#statements.run<{ id: string }>(
      `select id from spooled_mail where id ${this.#dialect.among(1)} and tries < ${TRIES_MAX}`,
      [this.#dialect.list(ids)],
    )
    return rows.map(({ id }) => id)
  }
}
