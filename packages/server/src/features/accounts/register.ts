import type { Account, Key, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { issueKey } from './keys.ts'

export type AccountDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly defaultPlan: Plan
}

/** Registers an account with its first key, in one transaction. */
export async function registerAccount(
  deps: AccountDeps,
  { email, name }: { readonly email: string; readonly name?: string | undefined },
): Promise<{ account: Account; apiKey: string; key: Key }> {
  const createdAt = deps.clock.now()
  const account = {
    id: deps.ids.next('account'),
    // Addresses that differ only in case reach the same person nearly everywhere.
    email: email.toLowerCase(),
    name: name ?? null,
    plan: deps.defaultPlan,
    createdAt,
  }
  const { apiKey, key } = await deps.store.transaction(async (tx) => {
    if (!(await tx.accounts.add(account))) throw new ServiceError('email_registered')
    return issueKey({ ...deps, store: tx }, account.id, {
      name: 'default',
      environment: 'live',
      role: 'admin',
    })
  })
  return {
    account: { ...account, connected: false, createdAt: new Date(createdAt).toISOString() },
    apiKey,
    key,
  }
}
