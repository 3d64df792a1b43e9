import { type AccountId, FAULT_SECONDS } from '@mayfly/contract'
import { authenticate } from '../features/accounts/authenticate.ts'
import { type FetchLink, LinkFetches, type LinkSlots } from '../features/assertions/link-fetches.ts'
import { type Access, callerOf, findAccess } from '../features/compat/access.ts'
import {
  countMessages,
  findAttachmentByName,
  findAttachmentId,
  markSelected,
  removeSelected,
  resolveMessage,
} from '../features/compat/mailbox.ts'
import type { MailDevView } from '../features/compat/maildev/view.ts'
import { readJim, setJim } from '../features/compat/mailhog/jim.ts'
import type { MailHogView } from '../features/compat/mailhog/view.ts'
import { readChaos, setChaos } from '../features/compat/mailpit/chaos.ts'
import { checkLinks } from '../features/compat/mailpit/link-check.ts'
import { listMessages } from '../features/compat/mailpit/lists.ts'
import { renameTag, setTags } from '../features/compat/mailpit/tags.ts'
import { readThumbnail } from '../features/compat/mailpit/thumbnail.ts'
import type { MailpitView } from '../features/compat/mailpit/view.ts'
import { releaseMessage } from '../features/compat/release.ts'
import { readFaults, setFaults } from '../features/faults/rules.ts'
import { getAttachment, readRaw } from '../features/messages/bytes.ts'
import { markMessages, removeMessages } from '../features/messages/change.ts'
import { CATCH_ALL_INBOX } from '../features/receiving/catch-all-inbox.ts'
import { cleanTags } from '../features/receiving/tags.ts'
import { createPurging } from '../features/retention/purge.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import { createMailSender, type OutboundMail } from '../platform/outbound/send-mail.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { CaughtRef } from '../store/tables/caught.ts'
import { bind } from './bind.ts'
import type { Content } from './content.ts'
import type { EventParts } from './events.ts'
import { createKeySearch } from './key-search.ts'

/** What the APIs of other mail catchers need. */
export type CompatDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly content: Content
  readonly events: Pick<EventParts, 'publish'>
  readonly fetchLink: FetchLink
  readonly linkSlots: LinkSlots
  readonly elapsedMs: () => number
  /** Whose project inbox is shown without a key; null where a key is needed. */
  readonly catchAllOwner: AccountId | null
  readonly signals: Pick<Signals, 'announce'>
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  /** The mail servers that messages may be sent on to, as `host:port`. */
  readonly releaseHosts: readonly string[]
  /** The name of this host in EHLO. */
  readonly mailHost: string
}

type MailHogPage = Omit<Extract<MailHogView, { view: 'list' }>, 'view' | 'inboxIds'>
type MailDevPage = Omit<Extract<MailDevView, { view: 'list' }>, 'view' | 'inboxIds'>

/** Binds the APIs of other mail catchers. */
export function bindCompat(deps: CompatDeps) {
  const { store, clock, content, catchAllOwner, elapsedMs } = deps
  const change = { store, clock, publish: deps.events.publish, ...createPurging(store, content) }
  const mailbox = {
    store,
    search: content.searchCaught,
    newest: content.findNewest,
    mark: bind(change, markMessages),
    remove: bind(change, removeMessages),
  }
  const mailpit = bindMailpit(deps)
  const jim = { read: mailpit.chaos, set: mailpit.setChaos }
  return {
    access: bind({ ...deps, ...accessDeps(deps, catchAllOwner) }, findAccess),
    mailbox: {
      count: bind(mailbox, countMessages),
      resolve: bind(mailbox, resolveMessage),
      mark: bind(mailbox, markSelected),
      remove: bind(mailbox, removeSelected),
      attachmentId: bind(mailbox, findAttachmentId),
      attachmentByName: bind(mailbox, findAttachmentByName),
    },
    releaseHosts: deps.releaseHosts,
    release: bind(releaseDeps(deps), releaseMessage),
    mailhog: {
      list: ({ caller, inboxIds }: Access, page: MailHogPage) =>
        composed(content.composeMailHog(caller.accountId, { view: 'list', inboxIds, ...page })),
      message: ({ caller }: Access, ref: CaughtRef) =>
        content.composeMailHog(caller.accountId, { view: 'message', ref }),
      jim: bind(jim, readJim),
      setJim: bind(jim, setJim),
    },
    maildev: {
      list: ({ caller, inboxIds }: Access, page: MailDevPage) =>
        composed(content.composeMailDev(caller.accountId, { view: 'list', inboxIds, ...page })),
      summary: ({ caller, inboxIds }: Access, page: Omit<MailDevPage, 'filters'>) =>
        composed(content.composeMailDev(caller.accountId, { view: 'summary', inboxIds, ...page })),
      mail: ({ caller }: Access, view: Extract<MailDevView, { ref: CaughtRef }>) =>
        content.composeMailDev(caller.accountId, view),
    },
    mailpit: {
      ...mailpit,
      checkLinks: bind({ urls: content.listUrls, begin: linkRuns(deps), elapsedMs }, checkLinks),
    },
  }
}

function releaseDeps(deps: CompatDeps) {
  const { store, releaseHosts, mailHost: hostName } = deps
  const sendMail = createMailSender()
  return {
    store,
    hosts: releaseHosts,
    readRaw: bind(deps, readRaw),
    send: (mail: Omit<OutboundMail, 'hostName'>) => sendMail({ ...mail, hostName }),
  }
}

function accessDeps({ store }: CompatDeps, owner: AccountId | null) {
  return {
    authenticate: bind(createKeySearch(store), authenticate),
    keyless:
      owner === null
        ? null
        : { caller: () => callerOf({ store }, owner), inboxId: CATCH_ALL_INBOX },
  }
}

/** A list, which is never missing. */
async function composed(list: Promise<Uint8Array | null>): Promise<Uint8Array> {
  return (await list) ?? new Uint8Array()
}

function linkRuns(deps: CompatDeps) {
  const fetches = new LinkFetches(deps)
  return (bounds: Parameters<LinkFetches['begin']>[0]) => fetches.begin(bounds)
}

function bindMailpit(deps: CompatDeps) {
  const { store, clock, ids, content } = deps
  const count = bind({ store }, countMessages)
  const lists = { count, compose: content.composeMailpit }
  const { publish } = deps.events
  const tags = { store, clean: cleanTags, replace: content.replaceTag, publish }
  const faults = { store, clock }
  const chaos = {
    read: bind(faults, readFaults),
    set: bind(faults, setFaults),
    secondsMax: FAULT_SECONDS.max,
  }
  return {
    list: bind(lists, listMessages),
    view: ({ caller }: Access, view: MailpitView) => content.composeMailpit(caller.accountId, view),
    thumbnail: bind(
      { getAttachment: bind({ store, clock }, getAttachment), compose: content.composeThumbnail },
      readThumbnail,
    ),
    tags: ({ caller, inboxIds }: Access) => content.countTags(caller.accountId, inboxIds),
    setTags: bind(tags, setTags),
    renameTag: bind(tags, renameTag),
    chaos: bind(chaos, readChaos),
    setChaos: bind(chaos, setChaos),
    uptimeSeconds: () => Math.round(deps.elapsedMs() / 1000),
    send: async (access: Access, body: Uint8Array, remoteAddress: string) => {
      const [inboxId] = access.inboxIds
      if (inboxId === undefined) {
        return { state: 'refused', reason: 'the account has no project inbox' } as const
      }
      const received = {
        // Project inboxes never expire.
        mailId: ids.mailId(Number.POSITIVE_INFINITY),
        receivedAt: clock.now(),
      }
      const request = { inboxId, body, remoteAddress, isScanned: deps.isScanned, ...received }
      const sent = await content.sendMail(access.caller.accountId, request)
      if (sent.state === 'stored') deps.signals.announce(sent.announcement)
      return sent
    },
  }
}
