import type { AttachmentId } from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

/** An attachment that waits for the scanner, and the position of its bytes. */
export type UnscannedAttachment = {
  readonly id: AttachmentId
  readonly mailId: string
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly bodyEncoding: TransferEncoding
}

/** Which attachments are listed: at most `roundMax` of each account. */
type Round = { readonly except: readonly AttachmentId[]; readonly roundMax: number }

const COLUMNS = ['id', 'mail_id', 'body_start', 'body_end', 'body_encoding'] as const

/** Queries for scanning attachments. */
export class Attachments {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /**
   * The oldest attachments of each account that are quarantined until they are scanned: the first
   * of each, then the second of each, and so on.
   */
  async listUnscanned({ except, roundMax }: Round): Promise<UnscannedAttachment[]> {
    const held = this.#db
      .selectFrom('attachment')
      .select([...COLUMNS])
      .where('held_for', 'is not', null)
      .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    const owners = this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .select(['message.mail_id', (all) => all.fn.min('inbox.account_id').as('owner')])
      .where('message.mail_id', 'in', held.clearSelect().select('mail_id'))
      .groupBy('message.mail_id')
    const numbered = this.#db
      .selectFrom(held.as('held'))
      .innerJoin(owners.as('owners'), 'owners.mail_id', 'held.mail_id')
      .select(COLUMNS.map((name) => `held.${name}` as const))
      .select(
        sql<number>`row_number() over (partition by owners.owner order by held.id)`.as('turn'),
      )
    const rows = await this.#db
      .selectFrom(numbered.as('numbered'))
      .select([...COLUMNS])
      .where('turn', '<=', roundMax)
      .orderBy('turn')
      .orderBy('id')
      .execute()
    return rows.map(toUnscanned)
  }

  /** An attachment, if it waits for the scanner. */
  async findUnscanned(id: AttachmentId): Promise<UnscannedAttachment | null> {
    const row = await this.#db
      .selectFrom('attachment')
      .select([...COLUMNS])
      .where('id', '=', id)
      .where('held_for', 'is not', null)
      .executeTakeFirst()
    return row === undefined ? null : toUnscanned(row)
  }

  /**
   * Writes the verdict of the scanner; false when the mail was deleted or is being deleted. If that
   * is rolled back, the attachment is listed again.
   */
  async setVerdict(
    { id, mailId }: Pick<UnscannedAttachment, 'id' | 'mailId'>,
    verdict: { readonly status: 'available' | 'quarantined'; readonly reason: string | null },
  ): Promise<boolean> {
    // Without waiting for a locked row: deleting mails locks attachments in another order.
    const unlocked = sql<boolean>`id in (
      select id from attachment
      where id = ${id} and mail_id = ${mailId}${sql.raw(this.#dialect.skipLocked)})`
    const { numUpdatedRows } = await this.#db
      .updateTable('attachment')
      .set({ ...verdict, held_for: null })
      .where('mail_id', '=', mailId)
      .where(unlocked)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}

function toUnscanned(
  row: Pick<Selectable<Schema['attachment']>, (typeof COLUMNS)[number]>,
): UnscannedAttachment {
  return {
    id: row.id,
    mailId: row.mail_id,
    bodyStart: row.body_start,
    bodyEnd: row.body_end,
    bodyEncoding: row.body_encoding,
  }
}
