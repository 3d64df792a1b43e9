import type { AttachmentId } from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import type { Kysely } from 'kysely'
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

  constructor(db: Kysely<Schema>) {
    this.#db = db
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

  /** Writes the verdict of the scanner; false when the mail was deleted. */
  async setVerdict(
    { id, mailId }: Pick<UnscannedAttachment, 'id' | 'mailId'>,
    verdict: { readonly status: 'available' | 'quarantined'; readonly reason: string | null },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('attachment')
      .set({ ...verdict, held_for: null })
      .where('id', '=', id)
      .where('mail_id', '=', mailId)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}
