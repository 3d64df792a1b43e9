import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, InboxId } from '@mayfly/contract'
import type { Addresses } from './tables/addresses.ts'
import type { Inboxes } from './tables/inboxes.ts'
import type { Mails } from './tables/mails.ts'

/** The parts of a store that purging uses. */
type PurgeStore = {
  readonly mails: Mails
  transaction<T>(
    work: (tx: { readonly inboxes: Inboxes; readonly addresses: Addresses }) => Promise<T>,
  ): Promise<T>
}

/** Mails and bytes deleted in one statement: while it runs, other writers and the API wait. */
const MAILS_MAX = 50
const BYTES_MAX = 8 * 1024 * 1024

/**
 * Purges an inbox with all its content, and releases its address; false when there is none.
 *
 * Its mails go after the commit: another inbox that is purged at the same time and shares one then
 * sees that this one is gone. What a crash leaves is found by `Mails.listUnshared`.
 */
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
  let batch: string[] = []
  let bytes = 0
  for (const { mailId, sizeBytes } of content.mails) {
    batch.push(mailId)
    bytes += sizeBytes
    if (batch.length < MAILS_MAX && bytes < BYTES_MAX) continue
    await store.mails.deleteUnshared(batch)
    await turn()
    batch = []
    bytes = 0
  }
  await store.mails.deleteUnshared(batch)
  return true
}
