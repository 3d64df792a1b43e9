import type { AccountId, MessageAuth } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { executeRows, type RowsStatement, type Statements } from '../statements.ts'

/** The verdicts of the sender checks of a mail. */
export type SenderVerdict = { readonly mailId: string; readonly auth: MessageAuth }

const INSERT: RowsStatement = {
  // Two nodes may have checked the same mail.
  sql: (rows) => `insert into sender_verdict (mail_id, auth) ${rows} on conflict do nothing`,
  values: [(placeholder) => placeholder, (placeholder) => placeholder],
}

/** Verdicts of sender checks; a mail that was not checked has none. */
export class SenderVerdicts {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Writes verdicts, except of mails that were deleted. In a transaction. */
  async add(verdicts: readonly SenderVerdict[]): Promise<void> {
    // Without waiting for locked rows: deleting several mails locks them in another order.
    const rows = await this.#statements.run<{ id: string }>(
      `select id from mail where id ${this.#dialect.among(1)}${this.#dialect.skipLocked}`,
      [this.#dialect.list(verdicts.map(({ mailId }) => mailId))],
    )
    const existing = new Set(rows.map(({ id }) => id))
    await executeRows(
      { statements: this.#statements, dialect: this.#dialect },
      INSERT,
      verdicts
        .filter(({ mailId }) => existing.has(mailId))
        .map(({ mailId, auth }) => [mailId, JSON.stringify(auth)]),
    )
  }

  /** Those of these mails that have no verdict, each with an account that received it. */
  async listMissing(
    mailIds: readonly string[],
  ): Promise<{ mailId: string; accountId: AccountId }[]> {
    const rows = await this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      // Named again, so that PostgreSQL plans only the partitions of these mails.
      .leftJoin('sender_verdict', (join) =>
        join
          .onRef('sender_verdict.mail_id', '=', 'message.mail_id')
          .on('sender_verdict.mail_id', 'in', mailIds),
      )
      .select(['message.mail_id', 'inbox.account_id'])
      .where('message.mail_id', 'in', mailIds)
      .where('sender_verdict.mail_id', 'is', null)
      .execute()
    const accounts = new Map(rows.map((row) => [row.mail_id, row.account_id]))
    return [...accounts].map(([mailId, accountId]) => ({ mailId, accountId }))
  }
}
