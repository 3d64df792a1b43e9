import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { DATED_FROM, dayOf, mailIdStart } from '../mail-id.ts'
import type { Addresses } from './tables/addresses.ts'
import type { Deliveries } from './tables/deliveries.ts'
import type { Inboxes } from './tables/inboxes.ts'
import type { Mails, StoredSize } from './tables/mails.ts'
import type { MessageChanges } from './tables/message-changes.ts'

/** The parts of a store that purging uses. */
type PurgeStore = {
  readonly deliveries: Deliveries
  /** See `StoreOptions`. */
  readonly onLeft: (error: unknown) => void
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

/** What is deleted after the commit that deleted messages or inboxes. */
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
 * Purges inboxes whose retention is over, and releases their addresses; returns how many. Mails
 * whose day of purge has begun are left to `dropPartitions`.
 */
export async function purgeDue(
  store: PurgeStore,
  ids: readonly InboxId[],
  now: number,
): Promise<number> {
  const except = [DATED_FROM, mailIdStart(dayOf(now) + 1)] as const
  const { purged, mails } = await store.transaction((tx) =>
    tx.inboxes.purgeDue(ids, { now, except }),
  )
  await deleteLeft(store, { mails, inboxIds: purged })
  return purged.length
}

/** Deletes messages of an inbox, or all, with their content; returns their ids. */
export async function deleteMessages(
  store: PurgeStore,
  owner: AccountId,
  of: { readonly inboxId: InboxId; readonly which: readonly MessageId[] | 'all' },
): Promise<readonly MessageId[]> {
  const deleted = await store.transaction((tx) =>
    tx.messageChanges.delete(owner, of.inboxId, of.which),
  )
  await deleteLeft(store, { mails: deleted ?? [], inboxIds: [] })
  return (deleted ?? []).map(({ id }) => id)
}

/** Never throws: what they belonged to is deleted already, and the sweep finds what is left. */
async function deleteLeft(store: PurgeStore, { mails, inboxIds }: Left): Promise<void> {
  try {
    await deleteMails(store, mails)
    await deleteDeliveries(store, inboxIds)
  } catch (error) {
    store.onLeft(error)
  }
}

/**
 * Deletes the mails that no message refers to any more, in short statements.
 *
 * After the commit that deleted their messages: another inbox that shares one and is purged at the
 * same time then sees that these are gone. What a crash leaves is found by `Mails.listUnshared`.
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
    await turn()
    batch = []
    bytes = 0
  }
  if (batch.length > 0) await deleteSome(batch)
}

/** Nobody reads or sends deliveries of purged inboxes. What is left is found by the sweep. */
async function deleteDeliveries(store: PurgeStore, inboxIds: readonly InboxId[]): Promise<void> {
  if (inboxIds.length === 0) return
  for (let deleted = 0; deleted < DELIVERIES_MAX; deleted += DELIVERIES_BATCH) {
    const count = await store.deliveries.deleteOfInboxes(inboxIds, DELIVERIES_BATCH)
    if (count < DELIVERIES_BATCH) return
    await turn()
  }
}
