// The texts of Mailpit's API. The work grows with the mail, so it does not run on the API's thread:
// see app/content.ts.

import type { AccountId, InboxId } from '@mayfly/contract'
import type { CatchAllRef } from '../../../store/tables/catch-all-messages.ts'
import { type CatchAllMail, readCatchAll, withOwnImages } from '../catch-all-mail.ts'
import { findCatchAll } from '../search.ts'
import { toHtmlCheck } from './html-check.ts'
import { toHeaders, toMessage, toText } from './message.ts'
import { listPartIds, type PartDeps } from './parts.ts'
import { toSummary } from './summary.ts'

/** The parts of a message that can be requested. */
type OneMessage =
  | 'summary'
  | 'message'
  | 'headers'
  | 'html'
  | 'embedded-html'
  | 'text'
  | 'html-check'

/** A page of the messages, or of those that match the query. */
type ListView = {
  readonly view: 'list'
  readonly inboxIds: readonly InboxId[]
  readonly query: string | null
  readonly start: number
  readonly limit: number
  /** Of all messages in the inboxes. */
  readonly total: number
  readonly unread: number
}

/** The responses of Mailpit's API. */
export type MailpitView = ListView | { readonly view: OneMessage; readonly ref: CatchAllRef }

/** The text of a view; null when the message was deleted or has no such part. */
export async function composeMailpit(
  deps: PartDeps,
  owner: AccountId,
  request: MailpitView,
): Promise<Uint8Array | null> {
  if (request.view === 'list') return listText(deps, owner, request)
  const mail = await readCatchAll(deps, owner, request.ref)
  const text = mail === null ? null : await textOf(deps, owner, { mail, view: request.view })
  return text === null ? null : new TextEncoder().encode(text)
}

async function listText(
  deps: PartDeps,
  owner: AccountId,
  { inboxIds, query, start, limit, total, unread }: ListView,
): Promise<Uint8Array> {
  const { catchAllMessages } = deps.store
  const found = query === null ? null : await findCatchAll(deps, owner, { inboxIds, query })
  const refs =
    found === null
      ? await catchAllMessages.listPage(owner, inboxIds, { start, limit })
      : found.slice(start, start + limit)
  const messages = []
  for (const ref of refs) {
    const mail = await readCatchAll(deps, owner, ref)
    if (mail !== null) messages.push(toSummary(mail))
  }
  const list = {
    total,
    unread,
    messages_count: found?.length ?? total,
    messages_unread: found?.filter(({ isRead }) => !isRead).length ?? unread,
    start,
    tags: [...(await catchAllMessages.countTags(owner, inboxIds)).keys()],
    count: messages.length,
    messages,
  }
  return new TextEncoder().encode(JSON.stringify(list))
}

async function textOf(
  deps: PartDeps,
  owner: AccountId,
  { mail, view }: { readonly mail: CatchAllMail; readonly view: OneMessage },
): Promise<string | null> {
  switch (view) {
    case 'summary':
      return JSON.stringify(toSummary(mail))
    case 'message':
      return JSON.stringify(await toMessage(deps, owner, mail))
    case 'headers':
      return JSON.stringify(toHeaders(await deps.rawBytes(mail.mailId)))
    case 'html':
      return htmlOf(deps, owner, mail)
    case 'embedded-html':
      return withLinksInTabs(await htmlOf(deps, owner, mail))
    case 'html-check':
      return mail.html === null ? null : JSON.stringify(await toHtmlCheck(mail.html))
    case 'text':
      return toText(mail, await deps.rawBytes(mail.mailId))
  }
}

/** The HTML with the addresses of the mail's own images; null without HTML. */
async function htmlOf(
  deps: PartDeps,
  owner: AccountId,
  mail: CatchAllMail,
): Promise<string | null> {
  if (!mail.attachments.some(({ contentId }) => contentId !== null)) return mail.html
  const ref = { inboxId: mail.inboxId, messageId: mail.id }
  const partIds = await listPartIds(deps, owner, { ref, raw: await deps.rawBytes(mail.mailId) })
  return withOwnImages(mail, ({ id }) => `/api/v1/message/${mail.id}/part/${partIds.get(id)}`)
}

/** Links open in tabs of their own: of two attributes of one name, a browser takes the first. */
function withLinksInTabs(html: string | null): string | null {
  return html?.replaceAll(/<a(?=[\s/>])/gi, '$& target="_blank" rel="noreferrer noopener"') ?? null
}
