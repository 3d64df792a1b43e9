import type { AccountId, Plan } from '@mayfly/contract'
import { OperatorRefused } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store, Tables } from '../../store/open.ts'
import type { AccountEntry, AccountSummary } from '../../store/tables/operator.ts'
import type { IssuedKey, KeyOptions } from '../accounts/keys.ts'
import { getAccount } from './target.ts'

/** What looking after accounts needs. */
export type OperatorAccountDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly issueKey: (tx: Tables, accountId: AccountId, options: KeyOptions) => Promise<IssuedKey>
}

/** Accounts whose email holds a text, newest first. */
export async function listAccounts(
  deps: OperatorAccountDeps,
  about: { readonly emailHolds: string; readonly limit: number },
): Promise<AccountSummary[]> {
  return deps.store.operator.listAccounts({ ...about, now: deps.clock.now() })
}

/** Puts an account on a plan, at once. */
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

/** Revokes every key of an account; how many they were. */
export async function revokeKeys(
  deps: OperatorAccountDeps,
  email: string,
): Promise<{ readonly account: AccountEntry; readonly revoked: number }> {
  return deps.store.transaction(async (tx) => {
    const account = await getAccount(tx, email)
    return { account, revoked: await tx.operator.revokeKeys(account.id, deps.clock.now()) }
  })
}

/** Makes an admin key for an account whose owner has none left. */
export async function giveKey(
  deps: OperatorAccountDeps,
  email: string,
): Promise<{ readonly account: AccountEntry } & IssuedKey> {
  return deps.store.transaction(async (tx) => {
    const account = await getAccount(tx, email)
    const options = { name: 'from the operator', environment: 'live', role: 'admin' } as const
    return { account, ...(await deps.issueKey(tx, account.id, options)) }
  })
}

/** Disconnects the external account of an account; its plan is what it was before. */
export async function disconnect(deps: OperatorAccountDeps, email: string): Promise<AccountEntry> {
  return deps.store.transaction(async (tx) => {
    const { id } = await getAccount(tx, email)
    const planBefore = await tx.connections.remove(id)
    if (planBefore === null) throw new OperatorRefused(`${email} is not connected.`)
    await tx.connections.changePlan(id, { from: 'connected', to: planBefore })
    return getAccount(tx, id)
  })
}
