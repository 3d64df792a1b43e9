// The form in which mails are handed over to the thread that stores them. Flat: cloning an object
// with its fields takes several times as long as cloning a list of its values. The raw bytes of all
// mails are in one buffer, which is transferred instead of cloned.

import type { InboxId, Otp } from '@mayfly/contract'
import type { ReadyMail } from '../features/receiving/commit.ts'
import type { NewMail } from '../store/tables/mails.ts'

type FlatMail = readonly [
  id: string,
  receivedAt: number,
  mailFrom: string,
  remoteAddress: string,
  tls: string | null,
  fromName: string | null,
  fromAddress: string | null,
  subject: string | null,
  preview: string | null,
  text: NewMail['text'],
  html: string | null,
  otp: Otp | null,
  content: string,
  transcript: string,
  rawEncoding: NewMail['raw']['encoding'],
  rawStart: number,
  rawEnd: number,
  sizeBytes: number,
  attachments: NewMail['attachments'] | null,
  tags: NewMail['tags'],
  recipients: readonly (readonly [inboxId: InboxId, address: string])[],
]

/** Mails for another thread; `bytes` can be transferred. */
export type MailBatch = { readonly mails: readonly FlatMail[]; readonly bytes: ArrayBuffer }

/** Writes mails for another thread. */
export function writeBatch(batch: readonly ReadyMail[]): MailBatch {
  let sizeBytes = 0
  for (const { mail } of batch) sizeBytes += mail.raw.bytes.length
  // Not from the pool: a transferred buffer is gone as a whole.
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let end = 0
  const mails = batch.map(({ mail, recipients }): FlatMail => {
    const start = end
    bytes.set(mail.raw.bytes, start)
    end += mail.raw.bytes.length
    return [
      mail.id,
      mail.receivedAt,
      mail.sender.mailFrom,
      mail.sender.remoteAddress,
      mail.sender.tls,
      mail.from.name,
      mail.from.address,
      mail.subject,
      mail.preview,
      mail.text,
      mail.html,
      mail.otp,
      mail.content,
      mail.transcript,
      mail.raw.encoding,
      start,
      end,
      mail.sizeBytes,
      mail.attachments.length === 0 ? null : mail.attachments,
      mail.tags,
      recipients.map(({ inboxId, address }) => [inboxId, address]),
    ]
  })
  return { mails, bytes: bytes.buffer }
}

/** Reads what `writeBatch` wrote. */
export function readBatch({ mails, bytes }: MailBatch): readonly ReadyMail[] {
  return mails.map(
    ([
      id,
      receivedAt,
      mailFrom,
      remoteAddress,
      tls,
      name,
      address,
      subject,
      preview,
      text,
      html,
      otp,
      content,
      transcript,
      encoding,
      rawStart,
      rawEnd,
      sizeBytes,
      attachments,
      tags,
      recipients,
    ]) => ({
      mail: {
        id,
        receivedAt,
        sender: { mailFrom, remoteAddress, tls },
        from: { name, address },
        subject,
        preview,
        text,
        html,
        otp,
        content,
        transcript,
        raw: { encoding, bytes: new Uint8Array(bytes, rawStart, rawEnd - rawStart) },
        sizeBytes,
        attachments: attachments ?? [],
        tags,
      },
      recipients: recipients.map(([inboxId, to]) => ({ inboxId, address: to })),
    }),
  )
}
