// The work with the content of stored mails. Its time grows with the mail, so it runs in a thread
// of its own (threads/content-*), which the first call starts, and each call has a time limit. The
// API's thread handles only what is small.

import type { AccountId, InboxId } from '@mayfly/contract'
import { stuffedContent } from '@mayfly/pop3'
import { checkMessage } from '../features/assertions/check-message.ts'
import { composeMailDev } from '../features/compat/maildev/view.ts'
import { composeMailHog } from '../features/compat/mailhog/view.ts'
import { listUrls } from '../features/compat/mailpit/link-check.ts'
import { findPart } from '../features/compat/mailpit/parts.ts'
import { type SendRequest, sendMail } from '../features/compat/mailpit/send.ts'
import { replaceTag } from '../features/compat/mailpit/tags.ts'
import { composeMailpit } from '../features/compat/mailpit/view.ts'
import { findNewest, searchCatchAll } from '../features/compat/search.ts'
import { composeHtmlCheck } from '../features/html-check/check.ts'
import { partBytes, rawBytes } from '../features/messages/bytes.ts'
import { composeFrame, hasRemoteImages } from '../features/messages/compose-frame.ts'
import { explainCodeOfMail, findCode } from '../features/messages/explain-code.ts'
import { composeBody, readExcerpt } from '../features/messages/present.ts'
import type { RawPart } from '../features/messages/read.ts'
import { RenderedHtmlCache } from '../features/messages/rendered-html-cache.ts'
import type { DeletedMessages, PurgedInbox } from '../features/retention/purge.ts'
import { findInAccount } from '../features/search/search-account.ts'
import { searchInbox } from '../features/search/search-inbox.ts'
import { composeThumbnail } from '../features/thumbnails/thumbnail.ts'
import { explainMismatches, findMatch } from '../features/waiting/find-match.ts'
import type { Log } from '../platform/log.ts'
import { storeSentMail } from '../receiving/store-sent-mail.ts'
import type { Store } from '../store/open.ts'
import type { StoredSize } from '../store/tables/mails.ts'
import { bind, bindAll } from './bind.ts'

/** Characters of sanitised HTML and visible text that are kept: 32 MiB at two bytes each. */
const DERIVED_CHARS_MAX = 16 * 1024 * 1024

/** The functions that read the content of mails, or delete much of it. */
export type Content = ReturnType<typeof createContent>

/** Binds the functions to the store. Their arguments and results can be sent between threads. */
export function createContent(store: Store, log: Log) {
  const world = {
    store,
    renderedHtml: new RenderedHtmlCache(DERIVED_CHARS_MAX),
    rawBytes: (mailId: string) => rawBytes({ store }, mailId),
    findCode: bind({ store }, findCode),
    storeSentMail: bind({ store, log }, storeSentMail),
  }
  return {
    ...bindAll(world, { composeBody, composeFrame, hasRemoteImages, readExcerpt, checkMessage }),
    ...bindAll(world, { findMatch, findInAccount, searchInbox, explainMismatches }),
    ...bindAll(world, { composeHtmlCheck, composeMailpit, composeMailHog, composeMailDev }),
    ...bindAll(world, { searchCatchAll, findNewest, findPart, listUrls, replaceTag }),
    countTags: (owner: AccountId, inboxIds: readonly InboxId[]) =>
      store.catchAllMessages.countTags(owner, inboxIds),
    explainCode: (_owner: AccountId, mailId: string) => explainCodeOfMail(world, mailId),
    readRaw: async (_owner: AccountId, mailId: string): Promise<Uint8Array> =>
      world.rawBytes(mailId),
    readLines: async (
      _owner: AccountId,
      { mailId, bodyLines }: { readonly mailId: string; readonly bodyLines: number | null },
    ): Promise<Uint8Array> => stuffedContent(await world.rawBytes(mailId), bodyLines),
    readPart: (_owner: AccountId, part: RawPart) => partBytes(world, part),
    composeThumbnail: async (_owner: AccountId, part: RawPart) =>
      composeThumbnail(await partBytes(world, part)),
    sendMail: (_owner: AccountId, request: SendRequest) => sendMail(world, request),
    purgeInbox: (owner: AccountId, inbox: PurgedInbox) => store.purgeInbox(owner, inbox),
    deleteMessages: (owner: AccountId, { inboxId, selection }: DeletedMessages) =>
      store.deleteMessages(owner, inboxId, selection),
    deleteMails: (_owner: AccountId, mails: readonly StoredSize[]) => store.deleteMails(mails),
  }
}
