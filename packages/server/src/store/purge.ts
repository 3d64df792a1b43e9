import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { dayOf, mailIdStart } from '../mail-id.ts'
import type { Addresses } from './tables/addresses.ts'
import type { Deliveries } from './tables/deliveries.ts'
import type { Inboxes } from './tables/inboxes.ts'
import type { Mails, StoredSize } from './tables/mails.ts'
import type { MessageChanges } from './tables/message-changes.ts'

/** The parts of a store that purging uses. */
type PurgeStore = {
  readonly deliveries: Deliveries
  /** See `StoreOptions`. */
  readonly onPurgeFailed: (error: unknown) => void
  transaction<T>(
    work: (tx: {
      readonly inboxes: Inboxes
      readonly addresses: Addresses
      readonly mails: Mails
      readonly messageChanges: MessageChanges
    }) => Promise<T>,
  ): Promise<T>
}

/** Mails and bytes deleted in one statement: while it runs, other writers and the API wait. */
const MAILS_MAX = 50
const BYTES_MAX = 8 * 1024 * 1024

/** Deliveries deleted in one statement, and at once with their inboxes; the sweep deletes more. */
const DELIVERIES_BATCH = 500
const DELIVERIES_MAX = 10_000

/** The rows to delete after the commit that deleted messages or inboxes. */
type Left = { readonly mails: readonly StoredSize[]; readonly inboxIds: readonly InboxId[] }

/** Purges an inbox with all its content, and releases its address; false when there is none. */
export async function purgeInbox(
  store: PurgeStore,
  owner: AccountId,
  inbox: { readonly id: InboxId; readonly now: number },
): Promise<boolean> {
  const content = await store.transaction(async (tx) => {
    const purged = await tx.inboxes.purge(owner, inbox.id)
    if (purged !== null) await tx.addresses.release(inbox.id, purged.address, inbox.now)
    return purged
  })
  if (content === null) return false
  await deleteLeft(store, { mails: content.mails, inboxIds: [inbox.id] })
  return true
}

/**
 * Purges inboxes whose retention is over, and releases their addresses; returns how many.
 * `dropPartitions` deletes mails whose day of purge has begun.
 */
export async function purgeDue(
  store: PurgeStore,
  ids: readonly InboxId[],
  now: number,
): Promise<number> {
  const mailsFrom = mailIdStart(dayOf(now) + 1)
  const { purged, mails } = await store.transaction((tx) =>
    tx.inboxes.purgeDue(ids, { now, mailsFrom }),
  )
  await deleteLeft(store, { mails, inboxIds: purged })
  return purged.length
}

/** Deletes messages of an inbox, or all, with their content; returns their ids. */
export async function deleteMessages(
  store: PurgeStore,
  owner: AccountId,
  of: { readonly inboxId: InboxId; readonly selection: readonly MessageId[] | 'all' },
): Promise<readonly MessageId[]> {
  const deleted = await store.transaction((tx) =>
    tx.messageChanges.delete(owner, of.inboxId, of.selection),
  )
  await deleteLeft(store, { mails: deleted ?? [], inboxIds: [] })
  return (deleted ?? []).map(({ id }) => id)
}

/** Never throws: their messages and inboxes are deleted already, and the sweep finds the rest. */
async function deleteLeft(store: PurgeStore, { mails, inboxIds }: Left): Promise<void> {
  try {
    await deleteMails(store, mails)
    await deleteDeliveries(store, inboxIds)
  } catch (error) {
    store.onPurgeFailed(error)
  }
}

/**
 * Deletes the mails that no message refers to any more, in short statements.
 *
 * After the commit that deleted their messages: another inbox that shares one and is purged at the
 * same time then sees that these are gone. After a crash `Mails.listUnshared` finds the rest.
 */
export async function deleteMails(store: PurgeStore, mails: readonly StoredSize[]): Promise<void> {
  const deleteSome = (ids: readonly string[]) =>
    store.transaction((tx) => tx.mails.deleteUnshared(ids))
  let batch: string[] = []
  let bytes = 0
  for (const { mailId, sizeBytes } of mails) {
    batch.push(mailId)
    bytes += sizeBytes
    if (batch.length < MAILS_MAX && bytes < BYTES_MAX) continue
    await deleteSome(batch)
    await yieldToLoop()
    batch = []
    bytes = 0
  }
  if (batch.length > 0) await deleteSome(batch)
}

/** Deliveries of purged inboxes are not read or sent. The sweep finds the rest. */
async function deleteDeliveries(store: PurgeStore, inboxIds: readonly InboxId[]): Promise<void> {
  if (inboxIds.length === 0) return
  for (let deleted = 0; deleted < DELIVERIES_MAX; deleted += DELIVERIES_BATCH) {
    const count = await store.deliveries.deleteOfInboxes(inboxIds, DELIVERIES_BATCH)
    if (count < DELIVERIES_BATCH) return
    await yieldToLoop()
  }
}
