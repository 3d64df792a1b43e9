import type { InboxId, MessageId, WebhookId } from '@mayfly/contract'
import type { Store, Tables } from '../../store/open.ts'
import type { NewDelivery } from '../../store/tables/deliveries.ts'
import type { NewMail, NewMessage } from '../../store/tables/mails.ts'
import type { InboxRoom } from '../../store/tables/receiving.ts'
import type { ActiveWebhook } from '../../store/tables/webhooks.ts'
import { hasRoom } from './capacity.ts'

/** A mail ready to be stored, with the inboxes that it is for. */
export type ReadyMail = {
  readonly mail: NewMail
  readonly recipients: readonly { readonly inboxId: InboxId; readonly address: string }[]
}

/** What became of a mail: stored in at least one inbox, or why in none. */
export type Outcome = {
  readonly state: 'stored' | 'full' | 'gone'
  /** Copies that were stored. */
  readonly messages: readonly NewMessage[]
  /** Inboxes that had no room for it. */
  readonly fullInboxes: readonly InboxId[]
}

/** A stored copy and the inbox that it is in. */
export type ArrivedMessage = {
  readonly message: NewMessage
  readonly inbox: Pick<InboxRoom, 'id' | 'accountId' | 'address'>
}

/** What a commit needs. */
export type CommitDeps = {
  readonly store: Store
  readonly newMessageId: () => MessageId
  /** The events that go out for these messages. */
  readonly composeDeliveries: (
    arrived: readonly ArrivedMessage[],
    webhooks: readonly ActiveWebhook[],
  ) => readonly NewDelivery[]
  /** Tells whoever waits on these inboxes to look, and whoever follows up on the rest. */
  readonly announce: (arrived: {
    readonly inboxIds: readonly InboxId[]
    readonly mailIds: readonly string[]
    readonly webhookIds: readonly WebhookId[]
  }) => void
}

/** Stores mails in one transaction, then announces them; one outcome a mail, in order. */
export async function commitMails(
  deps: CommitDeps,
  batch: readonly ReadyMail[],
): Promise<readonly Outcome[]> {
  const inboxIds = [...new Set(batch.flatMap(({ recipients }) => recipients.map((r) => r.inboxId)))]
  const { outcomes, webhookIds } = await deps.store.transaction(async (tx) => {
    const rooms = await tx.receiving.lockRooms(inboxIds)
    const { outcomes, grown } = planArrivals(batch, rooms, deps.newMessageId)
    const mails = batch.flatMap(({ mail }, i) => (outcomes[i]?.state === 'stored' ? [mail] : []))
    const messages = outcomes.flatMap((outcome) => outcome.messages)
    await tx.mails.add(mails, messages)
    await tx.receiving.grow(grown)
    return { outcomes, webhookIds: await addDeliveries(deps, tx, { messages, grown }) }
  })
  // Not before the commit: a waiter woken earlier would look and find nothing.
  const stored = outcomes.flatMap(({ messages }) => messages)
  deps.announce({
    inboxIds: [...new Set(stored.map(({ inboxId }) => inboxId))],
    mailIds: [...new Set(stored.map(({ mail }) => mail.id))],
    webhookIds,
  })
  return outcomes
}

/**
 * Writes what is to be pushed; the webhooks that it goes to. In the transaction of the messages:
 * a crash loses neither or both.
 */
async function addDeliveries(
  deps: CommitDeps,
  tx: Tables,
  stored: { readonly messages: readonly NewMessage[]; readonly grown: readonly InboxRoom[] },
): Promise<readonly WebhookId[]> {
  const accountIds = [...new Set(stored.grown.map(({ accountId }) => accountId))]
  const webhooks = await tx.webhooks.listActive(accountIds)
  if (webhooks.length === 0) return []
  const inboxes = new Map(stored.grown.map((inbox) => [inbox.id, inbox]))
  const arrived = stored.messages.flatMap((message) => {
    const inbox = inboxes.get(message.inboxId)
    return inbox === undefined ? [] : [{ message, inbox }]
  })
  await tx.deliveries.add(deps.composeDeliveries(arrived, webhooks))
  return webhooks.map(({ id }) => id)
}

/**
 * Which copies are stored, and how full the inboxes are then.
 *
 * A recipient named twice gets one copy. An inbox that was deleted since its recipient was
 * accepted gets none.
 */
function planArrivals(
  batch: readonly ReadyMail[],
  rooms: readonly InboxRoom[],
  newMessageId: () => MessageId,
): { outcomes: Outcome[]; grown: InboxRoom[] } {
  const byId = new Map(rooms.map((room) => [room.id, room]))
  const grown = new Set<InboxId>()
  const outcomes = batch.map(({ mail, recipients }) => {
    const messages: NewMessage[] = []
    const fullInboxes: InboxId[] = []
    const once = new Map(recipients.map((recipient) => [recipient.inboxId, recipient]))
    for (const { inboxId, address } of once.values()) {
      const room = byId.get(inboxId)
      if (room === undefined) continue
      if (!hasRoom(room, mail.sizeBytes)) {
        fullInboxes.push(inboxId)
        continue
      }
      const sequence = room.lastSequence + 1
      messages.push({ id: newMessageId(), inboxId, recipient: address, sequence, mail })
      grown.add(inboxId)
      byId.set(inboxId, {
        ...room,
        messageCount: room.messageCount + 1,
        sizeBytes: room.sizeBytes + mail.sizeBytes,
        lastSequence: sequence,
      })
    }
    const state = outcomeState(messages.length, fullInboxes.length)
    return { state, messages, fullInboxes }
  })
  return { outcomes, grown: [...byId.values()].filter((room) => grown.has(room.id)) }
}

function outcomeState(stored: number, full: number): Outcome['state'] {
  if (stored > 0) return 'stored'
  return full > 0 ? 'full' : 'gone'
}
