import { type AccountId, KEEP_MESSAGES } from '@mayfly/contract'
import { NEVER } from '../expiry.ts'
import { CATCH_ALL_INBOX } from '../features/rules/own-ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store } from '../store/open.ts'
import type { CatchAll } from './admit.ts'

export type CatchAllDeps = {
  readonly store: Store
  readonly clock: Clock
  /** A random local part is used when the address is taken. */
  readonly ids: Pick<Ids, 'localPart'>
}

/** The inbox for mail without credentials, which is created again when it was deleted. */
export function catchAllOf(
  deps: CatchAllDeps,
  place: { readonly owner: AccountId; readonly domain: string },
): CatchAll {
  const find = () => deps.store.receiving.findInbox(CATCH_ALL_INBOX)
  return {
    inboxId: CATCH_ALL_INBOX,
    find: async () => {
      const inbox = await find()
      if (inbox !== null) return inbox
      await ensureCatchAllInbox(deps, place)
      return find()
    },
  }
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
    for (const localPart of ['catch-all', deps.ids.localPart()]) {
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
