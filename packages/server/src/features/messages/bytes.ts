import { zstdDecompressSync } from 'node:zlib'
import type { Attachment } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { AttachmentRef, MessageRef } from './message-ref.ts'
import { getMailId, type MessageDeps, type RawPart } from './read.ts'

/** The raw message. */
export async function readRaw(
  deps: Pick<MessageDeps, 'store' | 'clock' | 'content'>,
  caller: Caller,
  ref: MessageRef,
): Promise<Uint8Array> {
  return deps.content.readRaw(caller.accountId, await getMailId(deps, caller, ref))
}

/** The bytes of an attachment, read from the raw mail; refused unless it is available. */
export async function readAttachment(
  deps: MessageDeps,
  caller: Caller,
  ref: AttachmentRef,
): Promise<{ attachment: Attachment; bytes: Uint8Array }> {
  const { attachment, part } = await getAttachment(deps, caller, ref)
  return { attachment, bytes: await deps.content.readPart(caller.accountId, part) }
}

/** An attachment, and where its bytes are; throws unless it is available. */
export async function getAttachment(
  deps: Pick<MessageDeps, 'store' | 'clock'>,
  caller: Caller,
  ref: AttachmentRef,
): Promise<{ attachment: Attachment; part: RawPart }> {
  const attachment = await deps.store.messages.findAttachment(
    caller.accountId,
    ref,
    ref.attachmentId,
  )
  if (attachment === null) {
    await getMailId(deps, caller, ref)
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
  const { mailId, bodyStart, bodyEnd, bodyEncoding } = attachment
  return { attachment, part: { mailId, bodyStart, bodyEnd, bodyEncoding } }
}

/** The bytes of a part of a raw mail, decoded. */
export async function partBytes(
  deps: { readonly store: Tables },
  part: RawPart,
): Promise<Uint8Array> {
  const raw = await rawBytes(deps, part.mailId)
  return decodeTransfer(raw.subarray(part.bodyStart, part.bodyEnd), part.bodyEncoding)
}

/** The raw bytes of a mail, decompressed. */
export async function rawBytes(deps: { readonly store: Tables }, mailId: string): Promise<Buffer> {
  const raw = await findRawBytes(deps, mailId)
  if (raw === null) throw new ServiceError('message_not_found')
  return raw
}

/** The same; null when the mail was deleted. */
export async function findRawBytes(
  deps: { readonly store: Tables },
  mailId: string,
): Promise<Buffer | null> {
  const raw = await deps.store.mails.findRaw(mailId)
  if (raw === null) return null
  if (raw.encoding === 'zstd') return zstdDecompressSync(raw.bytes)
  return Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength)
}
