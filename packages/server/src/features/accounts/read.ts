import type { Account, Limits, Plan } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from './authenticate.ts'

/** What reading an account needs. */
export type ReadAccountDeps<Usage> = {
  readonly store: Tables
  readonly limitsOf: (plan: Plan) => Limits
  readonly usageToday: (caller: Caller) => Promise<Usage>
}

/** The caller's account with its limits and usage. */
export async function readAccount<Usage>(
  deps: ReadAccountDeps<Usage>,
  caller: Caller,
): Promise<{ account: Account; limits: Limits; usage: Usage }> {
  const account = await deps.store.accounts.find(caller.accountId)
  if (account === null)
    throw new Error(`account ${caller.accountId} does not exist although its key does`)
  return { account, limits: deps.limitsOf(account.plan), usage: await deps.usageToday(caller) }
}
