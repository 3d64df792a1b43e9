import type { AccountId, Attachment } from '@mayfly/contract'
import { ServiceError } from '../../../errors.ts'
import type { Caller } from '../../accounts/authenticate.ts'
import type { AttachmentRef } from '../../messages/message-ref.ts'
import type { RawPart } from '../../messages/read.ts'
import type { Access } from '../access.ts'

/** Largest image that is decoded: more than a mail of the default size can hold. */
const IMAGE_BYTES_MAX = 20 * 1024 * 1024

/** A white image of 180 by 120 pixels, for what is no image or cannot be decoded. */
const BLANK = Buffer.from(
  [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA',
    'gICAgICAgICAgICAgICAgICAgICAj/wAALCAB4ALQBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAf/xAAUEAEAAAAA',
    'AAAAAAAAAAAAAAAA/9oACAEBAAA/AL+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD//2Q==',
  ].join(''),
  'base64',
)

/** What reading thumbnails needs. */
export type ThumbnailDeps = {
  /** Throws unless the attachment is available. */
  readonly getAttachment: (
    caller: Caller,
    ref: AttachmentRef,
  ) => Promise<{ readonly attachment: Attachment; readonly part: RawPart }>
  /** Null for what cannot be decoded. */
  readonly compose: (owner: AccountId, part: RawPart) => Promise<Uint8Array | null>
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
    return { attachment, bytes: (await deps.compose(caller.accountId, part)) ?? BLANK }
  } catch (error) {
    const isTooSlow = error instanceof ServiceError && error.code === 'content_unavailable'
    if (!isTooSlow) throw error
    return { attachment, bytes: BLANK }
  }
}
