import { zstdDecompressSync } from 'node:zlib'
import type { Attachment } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { type AttachmentRef, getStored, type MessageDeps, type MessageRef } from './read.ts'

/** The raw message. */
export async function readRaw(deps: MessageDeps, caller: Caller, ref: MessageRef): Promise<Buffer> {
  const { mailId } = await getStored(deps, caller, ref)
  return rawBytes(deps, mailId)
}

/** The bytes of an attachment, read from the raw mail; refused unless it is available. */
export async function readAttachment(
  deps: MessageDeps,
  caller: Caller,
  ref: AttachmentRef,
): Promise<{ attachment: Attachment; bytes: Buffer }> {
  const attachment = await deps.store.messages.findAttachment(
    caller.accountId,
    ref,
    ref.attachmentId,
  )
  if (attachment === null) {
    await getStored(deps, caller, ref)
    throw new ServiceError('attachment_not_found')
  }
  if (attachment.status !== 'available') {
    const code = attachment.status === 'blocked' ? 'attachment_blocked' : 'attachment_quarantined'
    // Reasons are stored with a full stop and without one.
    const reason = attachment.reason?.replace(/\.$/, '')
    throw new ServiceError(code, {
      message: `The attachment is ${attachment.status}: ${reason}.`,
    })
  }
  const raw = await rawBytes(deps, attachment.mailId)
  const { bodyStart, bodyEnd, bodyEncoding } = attachment
  return { attachment, bytes: decodeTransfer(raw.subarray(bodyStart, bodyEnd), bodyEncoding) }
}

/** The raw bytes of a mail, decompressed. */
async function rawBytes(deps: Pick<MessageDeps, 'store'>, mailId: string): Promise<Buffer> {
  const raw = await findRawBytes(deps, mailId)
  if (raw === null) throw new ServiceError('message_not_found')
  return raw
}

/** The same; null when the mail was deleted. */
export async function findRawBytes(
  deps: Pick<MessageDeps, 'store'>,
  mailId: string,
): Promise<Buffer | null> {
  const raw = await deps.store.mails.findRaw(mailId)
  if (raw === null) return null
  if (raw.encoding === 'zstd') return zstdDecompressSync(raw.bytes)
  return Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength)
}
