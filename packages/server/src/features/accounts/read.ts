import type { Account, Limits, Plan } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { UsageToday } from '../limits/usage.ts'
import type { Caller } from './authenticate.ts'

export type ReadAccountDeps = {
  readonly store: Tables
  readonly limitsOf: (plan: Plan) => Limits
  readonly usageToday: (caller: Caller) => Promise<UsageToday>
}

/** The caller's account with its limits and usage. */
export async function readAccount(
  deps: ReadAccountDeps,
  caller: Caller,
): Promise<{ account: Account; limits: Limits; usage: UsageToday }> {
  const account = await deps.store.accounts.find(caller.accountId)
  if (account === null)
    throw new Error(`account ${caller.accountId} does not exist although its key does`)
  return { account, limits: deps.limitsOf(account.plan), usage: await deps.usageToday(caller) }
}
