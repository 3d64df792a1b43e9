import type { AttachmentId } from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import { type Kysely, sql } from 'kysely'
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

/** Queries for scanning attachments. */
export class Attachments {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Attachments that are quarantined until they are scanned, oldest first, past one of them. */
  async listUnscanned(after: AttachmentId | null, limit: number): Promise<UnscannedAttachment[]> {
    let query = this.#db
      .selectFrom('attachment')
      .select(['id', 'mail_id', 'body_start', 'body_end', 'body_encoding'])
      .where('held_for', 'is not', null)
      .orderBy('id')
      .limit(limit)
    if (after !== null) query = query.where('id', '>', after)
    const rows = await query.execute()
    return rows.map((row) => ({
      id: row.id,
      mailId: row.mail_id,
      bodyStart: row.body_start,
      bodyEnd: row.body_end,
      bodyEncoding: row.body_encoding,
    }))
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
