import type { AccountId, DiagnosticId, InboxId, MessageId, WebhookId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { CommitEnd, Store } from '../../store/open.ts'
import type { AnnouncedMessage } from '../../store/tables/candidates.ts'
import type { NewDelivery } from '../../store/tables/deliveries.ts'
import type { NewMail, NewMessage } from '../../store/tables/mails.ts'
import type { InboxFill } from '../../store/tables/receiving.ts'
import type { ActiveWebhook } from '../../store/tables/webhooks.ts'
import { excessOf, hasRoom } from './capacity.ts'
import { beginsFlood, countMail, suspendFlooded } from './flood.ts'

/** A parsed mail and its recipients, ready to be stored. */
export type ReadyMail = {
  readonly mail: NewMail
  readonly recipients: readonly { readonly inboxId: InboxId; readonly address: string }[]
  /** Its number in a spool, when it was accepted before: it is stored also in a full inbox. */
  readonly spoolSequence?: number
}

/** The spool of a receiving thread, in files. */
type SpoolFile = {
  readonly name: string
  /** With this batch, all mails of the spool up to this number are stored. */
  readonly storedTo: number
}

/** What the mails of a batch were accepted in, and what their commit waits for. */
export type BatchOptions = {
  /** Null when no mail of the batch is in a spool; `shared` for the one of all nodes. */
  readonly spool: SpoolFile | 'shared' | null
  readonly until: CommitEnd
}

/** Whether a mail was stored in at least one inbox, or why in none. */
export type CommitResult = {
  readonly state: 'stored' | 'full' | 'gone'
  /** One message for each inbox that the mail was stored in. */
  readonly messages: readonly NewMessage[]
  /** The first of them; null without one. */
  readonly messageId: MessageId | null
  /** Inboxes without room for the mail. */
  readonly fullInboxes: readonly InboxId[]
  readonly sizeBytes: number
}

/** What the thread that received a mail is told of it. */
export type StoreOutcome = Omit<CommitResult, 'messages'>

/** A stored message and its inbox. */
export type MessageInInbox = {
  readonly message: NewMessage
  readonly inbox: Pick<InboxFill, 'id' | 'accountId' | 'address'>
}

/** Deliveries to be written, and an entry for each message that some webhooks are not told of. */
export type ComposedDeliveries = {
  readonly deliveries: readonly NewDelivery[]
  readonly omissions: readonly {
    readonly inboxId: InboxId
    readonly at: number
    readonly detail: string
  }[]
}

/** Messages of a project inbox that were deleted because it keeps only so many. */
type DroppedMessages = {
  readonly accountId: AccountId
  readonly inboxId: InboxId
  readonly messageIds: readonly MessageId[]
}

const UNSPOOLED: BatchOptions = { spool: null, until: 'synced' }

/** The result of a spooled mail that was stored, although nobody was told of it. */
const STORED_BEFORE: CommitResult = {
  state: 'stored',
  messages: [],
  messageId: null,
  fullInboxes: [],
  sizeBytes: 0,
}

/** What a commit needs. */
export type CommitDeps = {
  readonly store: Store
  readonly newMessageId: () => MessageId
  readonly newDiagnosticId: () => DiagnosticId
  /** The deliveries of these messages to these webhooks, as far as those have room for more. */
  readonly composeDeliveries: (
    messages: readonly MessageInInbox[],
    webhooks: readonly ActiveWebhook[],
  ) => ComposedDeliveries
  /** What waits are told of a message; null when nobody waits for it. Without it, waits look. */
  readonly composeAnnounced?: (message: NewMessage, inbox: InboxFill) => AnnouncedMessage | null
  /** Wakes waits, streams, the follow-up and the dispatcher, on every thread. */
  readonly announce: (stored: {
    readonly inboxIds: readonly InboxId[]
    readonly mailIds: readonly string[]
    readonly webhookIds: readonly WebhookId[]
    readonly dropped: readonly DroppedMessages[]
    readonly messages: readonly AnnouncedMessage[]
  }) => void
}

/**
 * Stores mails in one transaction and announces them; one result a mail, in order, once they are on
 * the disk.
 *
 * A mail whose inbox somebody else has locked is stored apart, and its result is a promise: no
 * other mail waits for the lock.
 */
export async function commitMails(
  deps: CommitDeps & { readonly storeApart: (ready: ReadyMail) => Promise<CommitResult> },
  batch: readonly ReadyMail[],
  options: BatchOptions = UNSPOOLED,
): Promise<readonly (CommitResult | Promise<CommitResult>)[]> {
  const { results, leftOut } = await storeMails(deps, batch, { ifLocked: 'leaveOut', ...options })
  return batch.map((ready) =>
    leftOut.has(ready) ? deps.storeApart(ready) : (results.get(ready) ?? STORED_BEFORE),
  )
}

/** The same for mails of the same inboxes, whose locks it waits for. */
export async function commitWaiting(
  deps: CommitDeps,
  batch: readonly ReadyMail[],
  options: BatchOptions = UNSPOOLED,
): Promise<readonly CommitResult[]> {
  const { results } = await storeMails(deps, batch, { ifLocked: 'wait', ...options })
  return batch.map((ready) => results.get(ready) ?? STORED_BEFORE)
}

/** The inboxes of a mail, as a text. */
export function inboxesOf({ recipients }: ReadyMail): string {
  return [...new Set(recipients.map(({ inboxId }) => inboxId))].sort().join()
}

/** The mails of a batch after its commit. */
type StoredBatch = {
  /** Of those that were stored, and not before. */
  readonly results: ReadonlyMap<ReadyMail, CommitResult>
  /** Those of an inbox that somebody else has locked. */
  readonly leftOut: ReadonlySet<ReadyMail>
}

/** Stores those mails whose inboxes could all be locked, or, after waiting, all of them. */
async function storeMails(
  deps: CommitDeps,
  given: readonly ReadyMail[],
  { ifLocked, spool, until }: BatchOptions & { readonly ifLocked: 'wait' | 'leaveOut' },
): Promise<StoredBatch> {
  const { batch, results, leftOut } = await deps.store.transaction(
    async (tx) => {
      const isFile = spool !== null && spool !== 'shared'
      const ready = isFile ? await takeFromSpool(tx, spool, given) : given
      const inboxIds = inboxIdsOf(ready)
      const inboxes = await tx.receiving.lockInboxes(inboxIds, ifLocked)
      const locked = new Set(inboxes.map(({ id }) => id))
      const isLocked = ({ recipients }: ReadyMail) =>
        ifLocked === 'wait' || recipients.every(({ inboxId }) => locked.has(inboxId))
      const [own, leftOut] = [ready.filter(isLocked), ready.filter((mail) => !isLocked(mail))]
      // After the locks: a mail that is left out stays in the spool.
      const batch = spool === 'shared' ? await takeFromShared(tx, own) : own
      const { results, changed, flooded } = planMessages(batch, inboxes, deps.newMessageId)
      const mails = batch.flatMap(({ mail }, i) => (results[i]?.state === 'stored' ? [mail] : []))
      const messages = results.flatMap((result) => result.messages)
      await tx.mails.add(mails, messages, changed)
      const dropped = await deleteExcess(tx, changed)
      for (const [inbox, at] of flooded) {
        await suspendFlooded(tx, inbox, { id: deps.newDiagnosticId(), at })
      }
      const webhookIds = await addDeliveries(deps, tx, { messages, changed })
      return { batch, results, leftOut, dropped, webhookIds, changed }
    },
    (stored) => announce(deps, stored),
    until,
  )
  const ofMails = batch.flatMap((mail, i) =>
    results[i] === undefined ? [] : [[mail, results[i]] as const],
  )
  return { results: new Map(ofMails), leftOut: new Set(leftOut) }
}

const inboxIdsOf = (ready: readonly ReadyMail[]) => [
  ...new Set(ready.flatMap(({ recipients }) => recipients.map(({ inboxId }) => inboxId))),
]

/** The mails that were not stored before; notes that those of the spool are stored now. */
async function takeFromSpool(
  tx: Tables,
  { name, storedTo }: SpoolFile,
  given: readonly ReadyMail[],
): Promise<readonly ReadyMail[]> {
  const before = await tx.spools.files.find(name)
  const beyond = new Set(before.beyond)
  const isStored = (sequence: number) => sequence <= before.to || beyond.has(sequence)
  const sequences = given.flatMap(({ spoolSequence }) => spoolSequence ?? [])
  const to = Math.max(before.to, storedTo)
  const rest = [...new Set([...before.beyond, ...sequences])].filter((sequence) => sequence > to)
  await tx.spools.files.set(name, { to, beyond: rest })
  return given.filter(
    ({ spoolSequence }) => spoolSequence === undefined || !isStored(spoolSequence),
  )
}

/** The mails that were not stored before, by this node or another; deletes them from the spool. */
async function takeFromShared(
  tx: Tables,
  given: readonly ReadyMail[],
): Promise<readonly ReadyMail[]> {
  const isSpooled = ({ spoolSequence }: ReadyMail) => spoolSequence !== undefined
  const ids = given.filter(isSpooled).map(({ mail }) => mail.id)
  if (ids.length === 0) return given
  const taken = await tx.spools.mails.take(ids)
  return given.filter((mail) => !isSpooled(mail) || taken.has(mail.mail.id))
}

/**
 * Announces stored mails after the commit: a wait that is woken earlier would find nothing. It is
 * answered while the mails are synced to the disk; only the sender must not be told before that.
 */
function announce(
  deps: Pick<CommitDeps, 'announce' | 'composeAnnounced'>,
  stored: {
    readonly results: readonly CommitResult[]
    readonly changed: readonly InboxFill[]
    readonly dropped: readonly DroppedMessages[]
    readonly webhookIds: readonly WebhookId[]
  },
): void {
  const messages = stored.results.flatMap((result) => result.messages)
  deps.announce({
    inboxIds: [...new Set(messages.map(({ inboxId }) => inboxId))],
    mailIds: [...new Set(messages.map(({ mail }) => mail.id))],
    webhookIds: stored.webhookIds,
    dropped: stored.dropped,
    messages: announcedMessages(deps, messages, stored),
  })
}

function announcedMessages(
  { composeAnnounced }: Pick<CommitDeps, 'composeAnnounced'>,
  messages: readonly NewMessage[],
  { changed, dropped }: Parameters<typeof announce>[1],
): readonly AnnouncedMessage[] {
  if (composeAnnounced === undefined) return []
  const dropping = new Set(dropped.map(({ inboxId }) => inboxId))
  return inInboxes(messages, changed)
    .filter(({ inbox }) => !dropping.has(inbox.id))
    .flatMap(({ message, inbox }) => composeAnnounced(message, inbox) ?? [])
}

/** Deletes the oldest messages of project inboxes that have more than they keep. */
async function deleteExcess(
  tx: Tables,
  changed: readonly InboxFill[],
): Promise<readonly DroppedMessages[]> {
  const dropped: DroppedMessages[] = []
  for (const inbox of changed) {
    const excess = excessOf(inbox)
    if (excess === null) continue
    const deleted = await tx.messageChanges.deleteOldest(inbox.id, excess)
    await tx.mails.deleteUnshared(deleted.map(({ mailId }) => mailId))
    const { id: inboxId, accountId } = inbox
    dropped.push({ accountId, inboxId, messageIds: deleted.map(({ id }) => id) })
  }
  return dropped
}

/**
 * Writes deliveries to the active webhooks of the accounts, and returns these webhooks. In the
 * transaction of the messages: a crash loses both or neither.
 */
async function addDeliveries(
  deps: CommitDeps,
  tx: Tables,
  stored: { readonly messages: readonly NewMessage[]; readonly changed: readonly InboxFill[] },
): Promise<readonly WebhookId[]> {
  const concerned = stored.changed.filter(({ hasWebhooks }) => hasWebhooks)
  const accountIds = [...new Set(concerned.map(({ accountId }) => accountId))]
  const webhooks = await tx.webhooks.listActive(accountIds)
  if (webhooks.length === 0) return []
  const messages = inInboxes(stored.messages, stored.changed)
  const { deliveries, omissions } = deps.composeDeliveries(messages, webhooks)
  await tx.deliveries.add(deliveries)
  const stage = 'webhook.failed'
  await tx.diagnostics.add(
    omissions.map((omission) => ({ ...omission, stage, id: deps.newDiagnosticId() })),
  )
  return webhooks.map(({ id }) => id)
}

function inInboxes(
  messages: readonly NewMessage[],
  changed: readonly InboxFill[],
): readonly { readonly message: NewMessage; readonly inbox: InboxFill }[] {
  const inboxes = new Map(changed.map((inbox) => [inbox.id, inbox]))
  return messages.flatMap((message) => {
    const inbox = inboxes.get(message.inboxId)
    return inbox === undefined ? [] : [{ message, inbox }]
  })
}

/**
 * Which messages are stored, how full their inboxes are then, and since when they are flooded.
 *
 * An inbox that is named twice gets one message, for the first of its recipients. An inbox that was
 * deleted since its recipient was accepted gets none.
 */
function planMessages(
  batch: readonly ReadyMail[],
  inboxes: readonly InboxFill[],
  newMessageId: () => MessageId,
): { results: CommitResult[]; changed: InboxFill[]; flooded: Map<InboxFill, number> } {
  const byId = new Map(inboxes.map((inbox) => [inbox.id, inbox]))
  const changed = new Set<InboxId>()
  const flooded = new Map<InboxFill, number>()
  const results = batch.map(({ mail, recipients, spoolSequence }) => {
    const messages: NewMessage[] = []
    const fullInboxes: InboxId[] = []
    const once = new Map<InboxId, string>()
    for (const { inboxId, address } of recipients) {
      if (!once.has(inboxId)) once.set(inboxId, address)
    }
    for (const [inboxId, address] of once) {
      const inbox = byId.get(inboxId)
      if (inbox === undefined) continue
      const flood = countMail(inbox.flood, mail.receivedAt)
      if (beginsFlood(inbox.flood, flood)) flooded.set(inbox, mail.receivedAt)
      changed.add(inboxId)
      if (spoolSequence === undefined && !hasRoom(inbox, mail.sizeBytes)) {
        fullInboxes.push(inboxId)
        byId.set(inboxId, { ...inbox, flood })
        continue
      }
      const sequence = inbox.lastSequence + 1
      messages.push({ id: newMessageId(), inboxId, recipient: address, sequence, mail })
      byId.set(inboxId, {
        ...inbox,
        flood,
        messageCount: inbox.messageCount + 1,
        sizeBytes: inbox.sizeBytes + mail.sizeBytes,
        lastSequence: sequence,
      })
    }
    const state = resultState(messages.length, fullInboxes.length)
    const messageId = messages[0]?.id ?? null
    return { state, messages, messageId, fullInboxes, sizeBytes: mail.sizeBytes }
  })
  return { results, changed: [...byId.values()].filter(({ id }) => changed.has(id)), flooded }
}

function resultState(stored: number, full: number): CommitResult['state'] {
  if (stored > 0) return 'stored'
  return full > 0 ? 'full' : 'gone'
}
