import { type AccountId, type InboxId, KEEP_MESSAGES } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'

/** The project inbox of the local account for mail without credentials. */
export const CATCH_ALL_INBOX = 'inb_0000000000catcha1100000000' as InboxId // The same at each start.

/** The end of the year 9999: it lives until it is deleted. */
const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** What making the inbox needs. */
export type CatchAllDeps = {
  readonly store: Store
  readonly clock: Clock
  /** A random local part, in case the address is taken. */
  readonly newLocalPart: () => string
}

/** Creates the inbox for mail without credentials if it is missing. */
export async function ensureCatchAllInbox(
  deps: CatchAllDeps,
  { owner, domain }: { readonly owner: AccountId; readonly domain: string },
): Promise<void> {
  const now = deps.clock.now()
  await deps.store.transaction(async (tx) => {
    await tx.accounts.lock(owner)
    if ((await tx.inboxes.find(owner, CATCH_ALL_INBOX, now)) !== null) return
    for (const localPart of ['catch-all', deps.newLocalPart()]) {
      const address = `${localPart}@${domain}`
      const claim = { address, inboxId: CATCH_ALL_INBOX, occupiedUntil: NEVER, now }
      if (!(await tx.addresses.claim(owner, claim))) continue
      await tx.inboxes.add(owner, {
        id: CATCH_ALL_INBOX,
        address,
        domain,
        environment: 'live',
        createdAt: now,
        expiresAt: NEVER,
        keepMessages: KEEP_MESSAGES.default,
      })
      return
    }
  })
}
