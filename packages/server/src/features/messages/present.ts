// Full messages for a response. The work grows with the mail, up to 25 MiB, so it does not run on
// the API's thread: see app/content.ts.

import type { AccountId, Link, Message } from '@mayfly/contract'
import type { OtpFinding } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { StoredMessage } from '../../store/tables/full-message.ts'
import { jsonText } from '../rules/json-text.ts'
import type { MessageRef } from './message-ref.ts'
import type { RenderedHtmlCache } from './rendered-html-cache.ts'

export type PresentDeps = {
  readonly store: Tables
  readonly renderedHtml: RenderedHtmlCache
  /** Finds the code of a form in a mail; null when the mail was deleted. */
  readonly findCode: (request: {
    readonly mailId: string
    readonly format: string
  }) => Promise<OtpFinding | null>
}

/** How the HTML of a message is presented. */
export type HtmlOptions = {
  readonly remoteImages: 'block' | 'allow'
  readonly baseUrl: string
  /** `omit` after sanitising has failed. */
  readonly html: 'sanitise' | 'omit'
}

/** A message as the body of a response: alone, or as in the response to a wait. */
export type BodyRequest = MessageRef &
  HtmlOptions & {
    readonly of: 'message' | 'wait'
    /** The form of the code that it has. */
    readonly otpFormat?: string | undefined
  }

/** A part of a message: of its body from `offset`, of its links from `linksFrom`. */
export type ExcerptRequest = MessageRef &
  HtmlOptions & {
    readonly part: 'text' | 'html'
    readonly offset: number
    readonly charsMax: number
    readonly linksFrom: number
    readonly linksCharsMax: number
    /** As of a whole message. */
    readonly otpFormat?: string | undefined
  }

/** The facts of a message, and its requested parts. */
export type Excerpt = Pick<
  Message,
  'id' | 'inboxId' | 'from' | 'to' | 'subject' | 'receivedAt' | 'sizeBytes' | 'otp' | 'auth'
> &
  Pick<Message, 'attachments' | 'links'> & {
    readonly body: string
    readonly bodyLength: number
    readonly linkCount: number
  }

/** Messages up to this size and without HTML are presented where they are: it is faster. */
export const SMALL_BYTES = 16 * 1024

/** The defect of a message whose HTML is left out. */
const NOT_SANITISED = 'the HTML could not be sanitised in time and is left out'

/** The JSON of a message; null when there is none. */
export async function composeBody(
  deps: PresentDeps,
  owner: AccountId,
  request: BodyRequest,
): Promise<Uint8Array | null> {
  const stored = await deps.store.messages.find(owner, request.inboxId, request.messageId)
  if (stored === null) return null
  const message = await withOtpOfFormat(deps, stored, request)
  return messageJson(await present(deps, message, request), request.of)
}

/** The JSON of a presented message. */
export function messageJson(message: Message, of: BodyRequest['of']): Uint8Array {
  const { otp } = message
  const waited = otp === null ? { message } : { message, otp }
  return new TextEncoder().encode(JSON.stringify(of === 'wait' ? waited : message))
}

/** A message with the code of a form, if that is asked for. */
async function withOtpOfFormat(
  { findCode }: Pick<PresentDeps, 'findCode'>,
  stored: StoredMessage,
  { otpFormat }: Pick<BodyRequest, 'otpFormat'>,
): Promise<StoredMessage> {
  if (otpFormat === undefined) return stored
  const otp = (await findCode({ mailId: stored.mailId, format: otpFormat }))?.otp ?? null
  return { ...stored, otp, hasOtp: otp !== null }
}

/** A part of a message; null when there is none. */
export async function readExcerpt(
  deps: PresentDeps,
  owner: AccountId,
  request: ExcerptRequest,
): Promise<Excerpt | null> {
  const found = await deps.store.messages.find(owner, request.inboxId, request.messageId)
  if (found === null) return null
  const stored = await withOtpOfFormat(deps, found, request)
  const message = request.part === 'html' ? await present(deps, stored, request) : stored
  const body = message[request.part] ?? ''
  const { id, inboxId, from, to, subject, receivedAt, sizeBytes, otp, auth, attachments } = message
  return {
    ...{ id, inboxId, from, to, subject, receivedAt, sizeBytes, otp, auth, attachments },
    body: body.slice(request.offset, request.offset + request.charsMax),
    bodyLength: body.length,
    links: linksWithin(message.links.slice(request.linksFrom), request.linksCharsMax),
    linkCount: message.links.length,
  }
}

/** A stored message without its columns of ours, and with sanitised HTML. */
async function present(
  deps: PresentDeps,
  stored: StoredMessage,
  options: HtmlOptions,
): Promise<Message> {
  const message = withoutColumns(stored)
  const { html, defects } = message
  if (html === null) return message
  if (options.html === 'omit')
    return { ...message, html: null, defects: [...defects, NOT_SANITISED] }
  return { ...message, html: await sanitised(deps, { ...stored, html }, options) }
}

/** A stored message as it is outside. */
export function withoutColumns(stored: StoredMessage): Message {
  const { mailId: _, sequence: __, isHtmlOnly: ___, ...message } = stored
  if (message.text === null) return message
  const { text, defects } = jsonText(message.text)
  return { ...message, text, defects: [...message.defects, ...defects] }
}

async function sanitised(
  deps: PresentDeps,
  { mailId, inboxId, id, attachments, html }: StoredMessage & { readonly html: string },
  { remoteImages, baseUrl }: HtmlOptions,
): Promise<string> {
  const folder = `${baseUrl}/v1/inboxes/${inboxId}/messages/${id}/attachments`
  const images = attachments.filter((one) => one.contentId !== null && one.status === 'available')
  // Without images of its own, the mail is the same for every recipient.
  const place = images.length === 0 ? '' : `${folder} ${images.map((one) => one.id).join()}`
  return deps.renderedHtml.get(`html ${mailId} ${remoteImages} ${place}`, async () => {
    // Loaded with the first HTML mail that is read: the module is large.
    const { safeHtml } = await import('@mayfly/mail/safe-html')
    return safeHtml(html, {
      remoteImages,
      imageUrl: (contentId) => {
        const image = images.find((one) => one.contentId === contentId)
        return image === undefined ? null : `${folder}/${image.id}`
      },
    })
  })
}

/** The first links with at most `charsMax` characters, and at least one. */
function linksWithin(links: readonly Link[], charsMax: number): Link[] {
  let chars = 0
  const end = links.findIndex(({ url, text }, at) => {
    chars += url.length + text.length
    return at > 0 && chars > charsMax
  })
  return links.slice(0, end < 0 ? links.length : end)
}
