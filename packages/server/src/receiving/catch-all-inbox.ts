import { type AccountId, type InboxId, KEEP_MESSAGES } from '@mayfly/contract'
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
      await tx.inboxes.add(owner, newInbox({ id: CATCH_ALL_INBOX, address, now }))
      return
    }
  })
}

/**
 * Creates the catch-all inbox with this address if it is missing; whether the account has it. Its
 * local part is its user name in SMTP AUTH.
 */
export async function ensureInitialInbox(
  deps: { readonly store: Store; readonly clock: Clock; readonly ids: Pick<Ids, 'next'> },
  { owner, address }: { readonly owner: AccountId; readonly address: string },
): Promise<boolean> {
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    await tx.accounts.lock(owner)
    const existing = await tx.receiving.findRecipient(address)
    if (existing !== null && existing.expiresAt > now) {
      return existing.accountId === owner && existing.keepMessages !== null
    }
    const id = deps.ids.next('inbox')
    const claim = { address, inboxId: id, occupiedUntil: NEVER, now }
    if (!(await tx.addresses.claim(owner, claim))) return false
    await tx.inboxes.add(owner, newInbox({ id, address, now }))
    return true
  })
}

function newInbox(of: { readonly id: InboxId; readonly address: string; readonly now: number }) {
  return {
    id: of.id,
    address: of.address,
    domain: of.address.slice(of.address.indexOf('@') + 1),
    environment: 'live',
    createdAt: of.now,
    expiresAt: NEVER,
    keepMessages: KEEP_MESSAGES.default,
  } as const
}
