// The form in which mails are handed over to the thread that stores them. Flat: cloning an object
// with its fields takes several times as long as cloning a list of its values. The raw bytes of all
// mails are in one buffer, which is transferred instead of cloned. A large mail, which was composed
// before, is handed over as it is.

import type { InboxId } from '@mayfly/contract'
import type { ComposedMail, MailToStore, ReceivedMail } from '../receiving/received-mail.ts'

type FlatMail = readonly [
  id: string,
  receivedAt: number,
  mailFrom: string,
  remoteAddress: string,
  helo: string | null,
  tls: string | null,
  user: ReceivedMail['envelope']['user'],
  protocol: string | null,
  transcript: readonly string[],
  rawStart: number,
  rawEnd: number,
  recipients: readonly (readonly [address: string, inboxId: InboxId, isCatchAll: boolean])[],
  provider: ReceivedMail['provider'],
]

/** Mails for another thread; `bytes` can be transferred. */
export type MailBatch = {
  readonly mails: readonly (FlatMail | ComposedMail)[]
  readonly bytes: ArrayBuffer
}

/** Writes mails for another thread. */
export function writeBatch(batch: readonly MailToStore[]): MailBatch {
  let sizeBytes = 0
  for (const mail of batch) if ('raw' in mail) sizeBytes += mail.raw.length
  // Not from the pool: a transferred buffer is gone as a whole.
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let end = 0
  const mails = batch.map((mail) => {
    if ('mail' in mail) return mail
    const start = end
    bytes.set(mail.raw, start)
    end += mail.raw.length
    return flatten(mail, start, end)
  })
  return { mails, bytes: bytes.buffer }
}

function flatten(mail: ReceivedMail, start: number, end: number): FlatMail {
  const { id, receivedAt, envelope, protocol, transcript, recipients } = mail
  return [
    id,
    receivedAt,
    envelope.mailFrom,
    envelope.remoteAddress,
    envelope.helo,
    envelope.tls,
    envelope.user,
    protocol,
    transcript,
    start,
    end,
    recipients.map(({ address, inboxId, isCatchAll }) => [address, inboxId, isCatchAll]),
    mail.provider,
  ]
}

/** Reads a batch that `writeBatch` wrote. */
export function readBatch({ mails, bytes }: MailBatch): readonly MailToStore[] {
  return mails.map((mail) => ('mail' in mail ? mail : unflatten(mail, bytes)))
}

function unflatten(mail: FlatMail, bytes: ArrayBuffer): ReceivedMail {
  const [id, receivedAt, mailFrom, remoteAddress, helo, tls, user, protocol, transcript] = mail
  const [, , , , , , , , , rawStart, rawEnd, recipients, provider] = mail
  return {
    id,
    receivedAt,
    envelope: { mailFrom, remoteAddress, helo, tls, user },
    protocol,
    transcript,
    raw: Buffer.from(bytes, rawStart, rawEnd - rawStart),
    recipients: recipients.map(([address, inboxId, isCatchAll]) => ({
      address,
      inboxId,
      isCatchAll,
    })),
    ...(provider === undefined ? {} : { provider }),
  }
}
