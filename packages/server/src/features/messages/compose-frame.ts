// The document of a message for a frame. As present.ts, it does not run on the API's thread.

import type { AccountId, Attachment } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import type { StoredMessage } from '../../store/tables/full-message.ts'
import { findRawBytes } from './bytes.ts'
import type { MessageRef } from './message-ref.ts'
import type { PresentDeps } from './present.ts'

/** Which message is shown, and whether with images of other servers. */
export type FrameRequest = MessageRef & { readonly remoteImages: 'block' | 'allow' }

/** Bytes of the mail's own images in a document: a frame has no key to request them with. */
const IMAGE_BYTES_MAX = 4 * 1024 * 1024

/** Images that browsers only draw. */
const IMAGE_TYPE = /^image\/(?:png|gif|jpe?g|webp|bmp)$/i

/** An image without an address is a box with its text; the mail's own rules come after this one. */
const BLOCKED_IMAGE =
  'img:not([src]){display:inline-block;overflow:hidden;background:#e4e7e7;color:#4d5a59;font:12px/1.4 sans-serif}\n'

/** The first character of a document in the cache. */
const REMOTE_IMAGES = '+'
const NO_REMOTE_IMAGES = '-'

/** The document of a message; null when there is none. */
export async function composeFrame(
  deps: PresentDeps,
  owner: AccountId,
  request: FrameRequest,
): Promise<Uint8Array | null> {
  const frame = await findFrame(deps, owner, request)
  return frame === null ? null : new TextEncoder().encode(frame.document)
}

/** Whether the document has images of other servers, or would have; null without a message. */
export async function hasRemoteImages(
  deps: PresentDeps,
  owner: AccountId,
  request: FrameRequest,
): Promise<boolean | null> {
  return (await findFrame(deps, owner, request))?.hasRemoteImages ?? null
}

type Frame = { readonly document: string; readonly hasRemoteImages: boolean }

async function findFrame(
  deps: PresentDeps,
  owner: AccountId,
  request: FrameRequest,
): Promise<Frame | null> {
  const stored = await deps.store.messages.find(owner, request.inboxId, request.messageId)
  if (stored === null) return null
  // Loaded with the first message that is shown: the module is large.
  const { safeDocument, textDocument } = await import('@mayfly/mail/safe-document')
  const { html, text, mailId } = stored
  if (html === null) return { document: textDocument(text ?? ''), hasRemoteImages: false }
  const { remoteImages } = request
  const images = stored.attachments.filter(isShown)
  // A verdict of the scanner may change which images are shown.
  const key = `document ${mailId} ${remoteImages} ${images.map(({ id }) => id).join()}`
  const marked = await deps.renderedHtml.get(key, async () => {
    const addresses = await imageAddresses(deps, owner, { ...request, stored, images })
    const imageUrl = (contentId: string) => addresses.get(contentId) ?? null
    let mark = NO_REMOTE_IMAGES
    const onRemoteImage = () => {
      mark = REMOTE_IMAGES
    }
    const document = safeDocument(html, { remoteImages, imageUrl, onRemoteImage })
    return `${mark}${document.replace('<style>', `$&${BLOCKED_IMAGE}`)}`
  })
  return { document: marked.slice(1), hasRemoteImages: marked.startsWith(REMOTE_IMAGES) }
}

function isShown({ contentId, status, contentType }: Attachment): boolean {
  return contentId !== null && status === 'available' && IMAGE_TYPE.test(contentType)
}

/** The mail's own images as `data:` addresses, by their content ids, up to the limit. */
async function imageAddresses(
  deps: PresentDeps,
  owner: AccountId,
  of: MessageRef & { readonly stored: StoredMessage; readonly images: readonly Attachment[] },
): Promise<Map<string, string>> {
  const addresses = new Map<string, string>()
  if (of.images.length === 0) return addresses
  const raw = await findRawBytes(deps, of.stored.mailId)
  let bytesLeft = IMAGE_BYTES_MAX
  for (const { id, contentId, contentType } of of.images) {
    const part = await deps.store.messages.findAttachment(owner, of, id)
    if (raw === null || part === null || contentId === null) continue
    const bytes = decodeTransfer(raw.subarray(part.bodyStart, part.bodyEnd), part.bodyEncoding)
    if (bytes.length > bytesLeft) continue
    bytesLeft -= bytes.length
    const base64 = Buffer.from(bytes).toString('base64')
    addresses.set(contentId, `data:${contentType.toLowerCase()};base64,${base64}`)
  }
  return addresses
}
