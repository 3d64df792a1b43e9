import { NEVER } from '../expiry.ts'
import { OPERATOR_ACCOUNT, OPERATOR_INBOX } from '../features/rules/own-ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/open.ts'

/** Creates the inbox for mail to postmaster and abuse if it is missing; returns its address. */
export async function ensureOperatorInbox(
  deps: { readonly store: Store; readonly clock: Clock },
  domain: string,
): Promise<string> {
  const address = `postmaster@${domain}`
  const now = deps.clock.now()
  await deps.store.transaction(async (tx) => {
    await tx.accounts.add({
      id: OPERATOR_ACCOUNT,
      email: address,
      name: 'Operator',
      plan: 'unlimited',
      createdAt: now,
    })
    await tx.accounts.lock(OPERATOR_ACCOUNT)
    if ((await tx.inboxes.find(OPERATOR_ACCOUNT, OPERATOR_INBOX, now)) === null) {
      const inbox = { id: OPERATOR_INBOX, address, domain, environment: 'live' } as const
      const ordinary = { createdAt: now, expiresAt: NEVER, keepMessages: null }
      await tx.inboxes.add(OPERATOR_ACCOUNT, { ...inbox, ...ordinary })
    }
    const claim = { address, inboxId: OPERATOR_INBOX, occupiedUntil: NEVER, now }
    await tx.addresses.claim(OPERATOR_ACCOUNT, claim)
  })
  return address
}
