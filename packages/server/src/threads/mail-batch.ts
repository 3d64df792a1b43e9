// The form in which mails are handed over to the thread that stores them. Flat: cloning an object
// with its fields takes several times as long as cloning a list of its values. The raw bytes of all
// mails are in one buffer, which is transferred instead of cloned. A large mail, which was composed
// before, is handed over as it is.
//
// In a spool a mail has the same form: the length of the values, the values as JSON, the raw bytes.

import type { InboxId } from '@mayfly/contract'
import type { MailToStore } from '../assembly/storing.ts'
import type { ReadyMail } from '../features/receiving/commit.ts'
import type { AcceptedMail, ArrivedMail } from '../features/receiving/compose.ts'

/** Of the length before the values of a spooled mail. */
const LENGTH_BYTES = 4

type FlatMail = readonly [
  id: string,
  receivedAt: number,
  mailFrom: string,
  remoteAddress: string,
  helo: string | null,
  tls: string | null,
  user: AcceptedMail['envelope']['user'],
  protocol: string | null,
  transcript: readonly string[],
  rawStart: number,
  rawEnd: number,
  recipients: readonly (readonly [address: string, inboxId: InboxId, isCaught: boolean])[],
  spoolSequence: number | null,
]

/** Mails for another thread; `bytes` can be transferred. */
export type MailBatch = {
  readonly mails: readonly (FlatMail | ReadyMail)[]
  readonly bytes: ArrayBuffer
}

/** Writes mails for another thread. */
export function writeBatch(batch: readonly MailToStore[]): MailBatch {
  let sizeBytes = 0
  for (const mail of batch) if ('accepted' in mail) sizeBytes += mail.accepted.raw.length
  // Not from the pool: a transferred buffer is gone as a whole.
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let end = 0
  const mails = batch.map((mail) => {
    if ('mail' in mail) return mail
    const start = end
    bytes.set(mail.accepted.raw, start)
    end += mail.accepted.raw.length
    return flatten(mail, start, end)
  })
  return { mails, bytes: bytes.buffer }
}

function flatten(mail: ArrivedMail, start: number, end: number): FlatMail {
  const { id, receivedAt, accepted, spoolSequence } = mail
  const { envelope, protocol, transcript, recipients } = accepted
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
    recipients.map(({ address, inboxId, isCaught }) => [address, inboxId, isCaught]),
    spoolSequence ?? null,
  ]
}

/** Reads what `writeBatch` wrote. */
export function readBatch({ mails, bytes }: MailBatch): readonly MailToStore[] {
  return mails.map((mail) => ('mail' in mail ? mail : unflatten(mail, bytes)))
}

function unflatten(mail: FlatMail, bytes: ArrayBuffer): ArrivedMail {
  const [
    id,
    receivedAt,
    mailFrom,
    remoteAddress,
    helo,
    tls,
    user,
    protocol,
    transcript,
    rawStart,
    rawEnd,
    recipients,
    spoolSequence,
  ] = mail
  return {
    id,
    receivedAt,
    accepted: {
      envelope: { mailFrom, remoteAddress, helo, tls, user },
      protocol,
      transcript,
      raw: Buffer.from(bytes, rawStart, rawEnd - rawStart),
      recipients: recipients.map(([address, inboxId, isCaught]) => ({
        address,
        inboxId,
        isCaught,
      })),
    },
    ...(spoolSequence === null ? {} : { spoolSequence }),
  }
}

/** Writes a mail for a spool, in parts. */
export function writeSpooled(mail: ArrivedMail): readonly Uint8Array[] {
  const { raw } = mail.accepted
  const values = Buffer.from(JSON.stringify(flatten(mail, 0, raw.length)))
  const length = Buffer.allocUnsafe(LENGTH_BYTES)
  length.writeUInt32LE(values.length)
  return [length, values, raw]
}

/** Reads what `writeSpooled` wrote. */
export function readSpooled(content: Buffer): ArrivedMail {
  const rawStart = LENGTH_BYTES + content.readUInt32LE(0)
  // Its checksum is right, so it is what `writeSpooled` wrote.
  const values = JSON.parse(content.toString('utf8', LENGTH_BYTES, rawStart)) as FlatMail
  return unflatten(values, new Uint8Array(content.subarray(rawStart)).buffer)
}
