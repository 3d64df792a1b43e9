// Step 3 of a mail's path: messages, raw bytes and webhook deliveries in one transaction.

import type { InboxId, MessageId, WebhookId } from '@mayfly/contract'
import { composeDeliveries } from '../features/webhooks/event.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { MailsStored } from '../signals/thread-signals.ts'
import type { Tables } from '../store/all-tables.ts'
import type { Store } from '../store/open.ts'
import type { NewMessage } from '../store/tables/mails.ts'
import type { InboxUsage } from '../store/tables/receiving.ts'
import { excessOf, hasRoom } from './capacity.ts'
import { beginsFlood, countMail, suspendFlooded } from './flood.ts'
import type { ComposedMail } from './received-mail.ts'

/** Whether a mail was stored in at least one inbox, or why in none. */
export type StoredMail = {
  readonly state: 'stored' | 'full' | 'gone'
  /** Of its first message; null without one. */
  readonly messageId: MessageId | null
  /** Inboxes that are too full for the mail. */
  readonly fullInboxes: readonly InboxId[]
  readonly sizeBytes: number
}

/** How mails are stored. */
export type StoreOptions = {
  /** Whether a locked inbox is waited for; otherwise the results of its mails are `locked`. */
  readonly ifLocked: 'wait' | 'leaveOut'
  /** Whether an earlier try may have stored some of them. They are not stored again. */
  readonly isRepeated: boolean
}

export type StoreMailsDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  /** Wakes waits, streams, the follow-up and the dispatcher, on every thread. */
  readonly announce: (stored: MailsStored) => void
}

/**
 * Stores mails in one transaction and announces them; one result a mail, in order, once they are on
 * the disk.
 *
 * After the locks, an earlier transaction with the same mails has ended, also one whose COMMIT got
 * no response: its rows are then visible.
 */
export async function storeMails(
  deps: StoreMailsDeps,
  batch: readonly ComposedMail[],
  { ifLocked, isRepeated }: StoreOptions,
): Promise<readonly (StoredMail | 'locked')[]> {
  const { results } = await deps.store.transaction(
    async (tx) => {
      const inboxes = await tx.receiving.lockInboxes(inboxIdsOf(batch), ifLocked)
      const storedBefore = isRepeated ? await tx.mails.findStored(batch.map(idOf)) : NONE_STORED
      const plan = planMessages(deps, batch, { inboxes, ifLocked, storedBefore })
      const { results, messages, changed, flooded } = plan
      const mails = [...new Set(messages.map(({ mail }) => mail))]
      await tx.mails.add(mails, messages, changed)
      const dropped = await deleteExcess(tx, changed)
      for (const [inbox, at] of flooded) {
        await suspendFlooded(tx, inbox, { id: deps.ids.next('diagnostic'), at })
      }
      const webhookIds = await addDeliveries(deps, tx, { messages, changed })
      return { results, messages, dropped, webhookIds }
    },
    // After the commit: a wait that is woken earlier would find nothing. It gets its response while
    // the mails are synced to the disk; only the reply to the sender must wait for the sync.
    ({ messages, dropped, webhookIds }) =>
      deps.announce({
        name: 'mailsStored',
        // After a repeated transaction it is unknown which mails were announced.
        inboxIds: isRepeated
          ? inboxIdsOf(batch)
          : [...new Set(messages.map(({ inboxId }) => inboxId))],
        mailIds: [...new Set(messages.map(({ mail }) => mail.id))],
        webhookIds,
        dropped,
      }),
  )
  return results
}

const idOf = ({ mail }: ComposedMail) => mail.id

const NONE_STORED: ReadonlyMap<string, MessageId> = new Map()

const inboxIdsOf = (batch: readonly ComposedMail[]) => [
  ...new Set(batch.flatMap(({ recipients }) => recipients.map(({ inboxId }) => inboxId))),
]

/** Deletes the oldest messages of catch-all inboxes that have more than they keep. */
async function deleteExcess(
  tx: Tables,
  changed: readonly InboxUsage[],
): Promise<MailsStored['dropped']> {
  const dropped: MailsStored['dropped'][number][] = []
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
  deps: StoreMailsDeps,
  tx: Tables,
  stored: { readonly messages: readonly NewMessage[]; readonly changed: readonly InboxUsage[] },
): Promise<readonly WebhookId[]> {
  const concerned = stored.changed.filter(({ hasWebhooks }) => hasWebhooks)
  const accountIds = [...new Set(concerned.map(({ accountId }) => accountId))]
  const webhooks = await tx.webhooks.listActive(accountIds)
  if (webhooks.length === 0) return []
  const inboxes = new Map(stored.changed.map((inbox) => [inbox.id, inbox]))
  const messages = stored.messages.flatMap((message) => {
    const inbox = inboxes.get(message.inboxId)
    return inbox === undefined ? [] : [{ message, inbox }]
  })
  const { deliveries, omissions } = composeDeliveries(deps, messages, webhooks)
  await tx.deliveries.add(deliveries)
  const stage = 'webhook.failed'
  await tx.diagnostics.add(
    omissions.map((omission) => ({ ...omission, stage, id: deps.ids.next('diagnostic') })),
  )
  return webhooks.map(({ id }) => id)
}

/** The changes of a batch to its inboxes. */
type Plan = {
  readonly results: readonly (StoredMail | 'locked')[]
  readonly messages: readonly NewMessage[]
  /** How full the inboxes are then. */
  readonly changed: readonly InboxUsage[]
  /** The inboxes that are flooded, and since when. */
  readonly flooded: ReadonlyMap<InboxUsage, number>
}

/**
 * Plans which messages are stored.
 *
 * An inbox that is named twice gets one message, for the first of its recipients. An inbox that was
 * deleted since its recipient was accepted gets none.
 */
function planMessages(
  deps: Pick<StoreMailsDeps, 'ids'>,
  batch: readonly ComposedMail[],
  given: {
    readonly inboxes: readonly InboxUsage[]
    readonly ifLocked: StoreOptions['ifLocked']
    readonly storedBefore: ReadonlyMap<string, MessageId>
  },
): Plan {
  const inboxes = new Map(given.inboxes.map((inbox) => [inbox.id, inbox]))
  const messages: NewMessage[] = []
  const changed = new Set<InboxId>()
  const flooded = new Map<InboxUsage, number>()
  const results = batch.map((composed): StoredMail | 'locked' => {
    const { mail, recipients } = composed
    const { sizeBytes } = mail
    const before = given.storedBefore.get(mail.id)
    if (before !== undefined) {
      return { state: 'stored', messageId: before, fullInboxes: [], sizeBytes }
    }
    const isMissing = recipients.some(({ inboxId }) => !inboxes.has(inboxId))
    // A deleted inbox looks like a locked one; waiting for the lock distinguishes them.
    if (isMissing && given.ifLocked === 'leaveOut') return 'locked'
    // Not in the other inboxes either: the sender repeats the mail for all of them.
    if (recipients.some(({ inboxId }) => inboxes.get(inboxId)?.isMoving === true)) {
      return { state: 'gone', messageId: null, fullInboxes: [], sizeBytes }
    }
    const own: NewMessage[] = []
    const fullInboxes: InboxId[] = []
    for (const [inboxId, recipient] of firstAddresses(composed)) {
      const inbox = inboxes.get(inboxId)
      if (inbox === undefined) continue
      const flood = countMail(inbox.flood, mail.receivedAt)
      if (beginsFlood(inbox.flood, flood)) flooded.set(inbox, mail.receivedAt)
      changed.add(inboxId)
      if (!hasRoom(inbox, sizeBytes)) {
        fullInboxes.push(inboxId)
        inboxes.set(inboxId, { ...inbox, flood })
        continue
      }
      const sequence = inbox.lastSequence + 1
      own.push({ id: deps.ids.next('message'), inboxId, recipient, sequence, mail })
      inboxes.set(inboxId, {
        ...inbox,
        flood,
        messageCount: inbox.messageCount + 1,
        sizeBytes: inbox.sizeBytes + sizeBytes,
        lastSequence: sequence,
      })
    }
    messages.push(...own)
    const state = own.length > 0 ? 'stored' : fullInboxes.length > 0 ? 'full' : 'gone'
    return { state, messageId: own[0]?.id ?? null, fullInboxes, sizeBytes }
  })
  const filled = [...inboxes.values()].filter(({ id }) => changed.has(id))
  return { results, messages, changed: filled, flooded }
}

/** The inboxes of a mail, each with the first address that names it. */
function firstAddresses({ recipients }: ComposedMail): ReadonlyMap<InboxId, string> {
  const addresses = new Map<InboxId, string>()
  for (const { inboxId, address } of recipients) {
    if (!addresses.has(inboxId)) addresses.set(inboxId, address)
  }
  return addresses
}
