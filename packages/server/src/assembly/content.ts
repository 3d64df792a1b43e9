// What is done with the content of stored mails. It takes as long as a sender makes it take, so it
// runs in a thread of its own (threads/content-*), which the first call starts, and the time of
// each call is bounded. The API's thread handles only what is small.

import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { readableText, readHtml } from '@mayfly/mail'
import { stuffedContent } from '@mayfly/pop3'
import { type CheckRequest, checkMessage } from '../features/assertions/check-message.ts'
import { composeMailDevView, type MailDevView } from '../features/compat/maildev/view.ts'
import { composeMailHogView, type MailHogView } from '../features/compat/mailhog/view.ts'
import { listUrls } from '../features/compat/mailpit/link-check.ts'
import {
  type Announcement,
  type SendDeps,
  type SendRequest,
  sendMail,
} from '../features/compat/mailpit/send.ts'
import { replaceTag, type TagReplacement } from '../features/compat/mailpit/tags.ts'
import { composeMailpitView, type MailpitView } from '../features/compat/mailpit/view.ts'
import { type CaughtSearch, findNewest, searchInboxes } from '../features/compat/search.ts'
import { composeHtmlCheck } from '../features/html-check/check.ts'
import { partBytes, rawBytes } from '../features/messages/bytes.ts'
import {
  composeFrame,
  type FrameRequest,
  hasRemoteImages,
} from '../features/messages/compose-frame.ts'
import { DerivedTexts } from '../features/messages/derived-texts.ts'
import { explainCodeOfMail } from '../features/messages/explain-code.ts'
import type { MessageRef } from '../features/messages/message-ref.ts'
import {
  type BodyRequest,
  composeBody,
  type ExcerptRequest,
  readExcerpt,
} from '../features/messages/present.ts'
import type { RawPart } from '../features/messages/read.ts'
import { commitWaiting } from '../features/receiving/commit.ts'
import { composeMail } from '../features/receiving/compose.ts'
import { cleanTags } from '../features/receiving/tags.ts'
import type { DeletedMessages, PurgedInbox } from '../features/retention/purge.ts'
import { findInAccount, type SearchPart } from '../features/search/search-account.ts'
import { type InboxSearch, searchInbox } from '../features/search/search-inbox.ts'
import { composeThumbnail } from '../features/thumbnails/thumbnail.ts'
import { explainMismatches, findMatch, type Search } from '../features/waiting/find-match.ts'
import { createIds } from '../platform/ids.ts'
import type { Store } from '../store/open.ts'
import type { CaughtRef } from '../store/tables/caught.ts'
import type { StoredSize } from '../store/tables/mails.ts'
import { bind } from './bind.ts'
import { createCommitDeps } from './storing.ts'

/** Characters of sanitised HTML and visible text that are kept: 32 MiB at two bytes each. */
const DERIVED_CHARS_MAX = 16 * 1024 * 1024

/** The functions that read the content of mails, or delete much of it. */
export type Content = ReturnType<typeof createContent>

/** Binds the functions to the store. Their arguments and results can be sent between threads. */
export function createContent(store: Store) {
  const derivedTexts = new DerivedTexts(DERIVED_CHARS_MAX)
  const visibleText = (mailId: string, html: string) =>
    derivedTexts.get(`text ${mailId}`, () => readableText(readHtml(html)))
  return {
    composeBody: (owner: AccountId, request: BodyRequest) =>
      composeBody({ store, derivedTexts }, owner, request),
    composeFrame: (owner: AccountId, request: FrameRequest) =>
      composeFrame({ store, derivedTexts }, owner, request),
    hasRemoteImages: (owner: AccountId, request: FrameRequest) =>
      hasRemoteImages({ store, derivedTexts }, owner, request),
    readExcerpt: (owner: AccountId, request: ExcerptRequest) =>
      readExcerpt({ store, derivedTexts }, owner, request),
    checkMessage: (owner: AccountId, request: CheckRequest) =>
      checkMessage({ store, visibleText }, owner, request),
    findMatch: (owner: AccountId, search: Search) => findMatch({ store }, owner, search),
    findInAccount: (owner: AccountId, part: SearchPart) => findInAccount({ store }, owner, part),
    searchInbox: (owner: AccountId, search: InboxSearch) => searchInbox({ store }, owner, search),
    explainMismatches: (owner: AccountId, wait: Pick<Search, 'inboxId' | 'query'>) =>
      explainMismatches({ store }, owner, wait),
    composeHtmlCheck: (owner: AccountId, ref: MessageRef) =>
      composeHtmlCheck({ store }, owner, ref),
    explainCode: (_owner: AccountId, mailId: string) => explainCodeOfMail({ store }, mailId),
    readRaw: async (_owner: AccountId, mailId: string): Promise<Uint8Array> =>
      rawBytes({ store }, mailId),
    readLines: async (
      _owner: AccountId,
      { mailId, bodyLines }: { readonly mailId: string; readonly bodyLines: number | null },
    ): Promise<Uint8Array> => stuffedContent(await rawBytes({ store }, mailId), bodyLines),
    readPart: (_owner: AccountId, part: RawPart) => partBytes({ store }, part),
    composeThumbnail: async (_owner: AccountId, part: RawPart) =>
      composeThumbnail(await partBytes({ store }, part)),
    purgeInbox: (owner: AccountId, inbox: PurgedInbox) => store.purgeInbox(owner, inbox),
    deleteMessages: (owner: AccountId, { inboxId, which }: DeletedMessages) =>
      store.deleteMessages(owner, inboxId, which),
    deleteMails: (_owner: AccountId, mails: readonly StoredSize[]) => store.deleteMails(mails),
    searchCaught: (owner: AccountId, search: CaughtSearch) =>
      searchInboxes({ store }, owner, search),
    findNewest: (owner: AccountId, among: Parameters<typeof findNewest>[2]) =>
      findNewest({ store }, owner, among),
    countTags: (owner: AccountId, inboxIds: readonly InboxId[]) =>
      store.caught.countTags(owner, inboxIds),
    composeMailpit: (owner: AccountId, view: MailpitView) =>
      composeMailpitView(
        { store, rawBytes: (mailId: string) => rawBytes({ store }, mailId) },
        owner,
        view,
      ),
    composeMailHog: (owner: AccountId, view: MailHogView) =>
      composeMailHogView(
        { store, rawBytes: (mailId: string) => rawBytes({ store }, mailId) },
        owner,
        view,
      ),
    composeMailDev: (owner: AccountId, view: MailDevView) =>
      composeMailDevView({ store }, owner, view),
    listUrls: (owner: AccountId, ref: CaughtRef) => listUrls({ store }, owner, ref),
    replaceTag: (owner: AccountId, replacement: TagReplacement) =>
      replaceTag({ store, clean: cleanTags }, owner, replacement),
    sendMail: (owner: AccountId, request: SendRequest) =>
      sendMail({ store: bind(store, storeSent) }, owner, request),
  }
}

/** Stores a mail that a caller has sent; the main thread announces it. */
async function storeSent(
  store: Store,
  accountId: AccountId,
  { request, raw, mailFrom, recipients }: Parameters<SendDeps['store']>[1],
): ReturnType<SendDeps['store']> {
  const { inboxId, mailId, receivedAt, remoteAddress, isScanned } = request
  const clock = { now: () => receivedAt }
  const ids = createIds(clock)
  const admitted = recipients.map((address) => ({
    ...{ address, accountId, inboxId, mayHaveFaults: false, isCaught: true },
    keptUntil: Number.POSITIVE_INFINITY,
  }))
  const envelope = { mailFrom, remoteAddress, helo: null, tls: null, user: null }
  const accepted = { envelope, recipients: admitted, raw, transcript: [], protocol: null }
  const mail = composeMail(
    {
      hostName: '',
      isScanned,
      isTextInRaw: !store.isShared,
      newAttachmentId: () => ids.next('attachment'),
      onError: (error) => {
        throw error
      },
    },
    { id: mailId, receivedAt, accepted },
  )
  const messageIds: MessageId[] = []
  const announcements: Announcement[] = []
  const announce = (announcement: Announcement) => announcements.push(announcement)
  const deps = createCommitDeps({ store, clock, signals: { announce } })
  const newMessageId = () => {
    const id = ids.next('message')
    messageIds.push(id)
    return id
  }
  await commitWaiting({ ...deps, newMessageId }, [{ mail, recipients: admitted }])
  const [messageId] = messageIds
  const [announcement] = announcements
  if (messageId === undefined || announcement === undefined) return null
  return { messageId, announcement }
}
