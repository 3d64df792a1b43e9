import type { AccountId, Attachment } from '@mayfly/contract'
import { ServiceError } from '../../../errors.ts'
import type { Caller } from '../../accounts/authenticate.ts'
import type { AttachmentRef } from '../../messages/message-ref.ts'
import type { RawPart } from '../../messages/read.ts'
import type { Access } from '../access.ts'

/** Largest image that is decoded: more than a mail of the default size can contain. */
const IMAGE_BYTES_MAX = 20 * 1024 * 1024

/** A white image of 180 by 120 pixels, for attachments that cannot be decoded as an image. */
const BLANK = Buffer.from(
  [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA',
    'gICAgICAgICAgICAgICAgICAgICAj/wAALCAB4ALQBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAA',
    'AAAAAAAAAAAAAAAA/9oACAEBAAA/AL+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD//2Q==',
  ].join(''),
  'base64',
)

export type ThumbnailDeps = {
  /** Throws unless the attachment is available. */
  readonly getAttachment: (
    caller: Caller,
    ref: AttachmentRef,
  ) => Promise<{ readonly attachment: Attachment; readonly part: RawPart }>
  /** Runs in another thread; null for an image that cannot be decoded. */
  readonly content: {
    readonly composeThumbnail: (owner: AccountId, part: RawPart) => Promise<Uint8Array | null>
  }
}

/** The thumbnail of an attachment: a JPEG of 180 by 120 pixels. */
export async function readThumbnail(
  deps: ThumbnailDeps,
  { caller }: Access,
  ref: AttachmentRef,
): Promise<{ readonly attachment: Attachment; readonly bytes: Uint8Array }> {
  const { attachment, part } = await deps.getAttachment(caller, ref)
  const isSmall = attachment.sizeBytes <= IMAGE_BYTES_MAX
  if (!isSmall || !attachment.contentType.startsWith('image/')) return { attachment, bytes: BLANK }
  try {
    const bytes = await deps.content.composeThumbnail(caller.accountId, part)
    return { attachment, bytes: bytes ?? BLANK }
  } catch (error) {
    const isTooSlow = error instanceof ServiceError && error.code === 'content_unavailable'
    if (!isTooSlow) throw error
    return { attachment, bytes: BLANK }
  }
}
