import type { AccountId, Plan } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import type { AccountEntry, AccountSummary } from '../../store/tables/operator.ts'
import type { IssuedKey, NewKeyFields } from '../accounts/keys.ts'
import { getAccount } from './target.ts'

export type OperatorAccountDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly issueKey: (tx: Tables, accountId: AccountId, fields: NewKeyFields) => Promise<IssuedKey>
}

/** Accounts whose email contains a text, newest first. */
export async function listAccounts(
  deps: OperatorAccountDeps,
  filter: { readonly emailContains: string; readonly limit: number },
): Promise<AccountSummary[]> {
  return deps.store.operator.listAccounts({ ...filter, now: deps.clock.now() })
}

/** Changes the plan of an account. */
export async function setPlan(
  deps: OperatorAccountDeps,
  email: string,
  plan: Plan,
): Promise<AccountEntry> {
  return deps.store.transaction(async (tx) => {
    const account = await getAccount(tx, email)
    await tx.operator.setPlan(account.id, plan)
    return { ...account, plan }
  })
}

/** Revokes every key of an account; returns how many. */
export async function revokeKeys(
  deps: OperatorAccountDeps,
  email: string,
): Promise<{ readonly account: AccountEntry; readonly revoked: number }> {
  return deps.store.transaction(async (tx) => {
    const account = await getAccount(tx, email)
    return { account, revoked: await tx.operator.revokeKeys(account.id, deps.clock.now()) }
  })
}

/** Creates an admin key for an account, for an owner who has lost all keys. */
export async function giveKey(
  deps: OperatorAccountDeps,
  email: string,
): Promise<{ readonly account: AccountEntry } & IssuedKey> {
  return deps.store.transaction(async (tx) => {
    const account = await getAccount(tx, email)
    const fields = { name: 'from the operator', environment: 'live', role: 'admin' } as const
    return { account, ...(await deps.issueKey(tx, account.id, fields)) }
  })
}

/** Disconnects the external account of an account, and restores its plan from before. */
export async function disconnect(deps: OperatorAccountDeps, email: string): Promise<AccountEntry> {
  return deps.store.transaction(async (tx) => {
    const { id } = await getAccount(tx, email)
    const planBefore = await tx.connections.remove(id)
    if (planBefore === null) throw new OperatorRefused(`${email} is not connected.`)
    await tx.connections.changePlan(id, { from: 'connected', to: planBefore })
    return getAccount(tx, id)
  })
}
