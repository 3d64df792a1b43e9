import type { Config } from '../config/config.ts'
import { OPERATOR_ACCOUNT } from '../features/rules/own-ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'

/**
 * Warns how many accounts are still on the plan for trials when new accounts get another one: an
 * operator may expect that the setting applies to all.
 */
export async function warnOfAccountsOnOldPlan(deps: {
  readonly store: Store
  readonly config: Config
  readonly log: Log
}): Promise<void> {
  const plan = deps.config.MAYFLY_DEFAULT_PLAN
  if (plan === 'key_only') return
  const accounts = await deps.store.operator.countOnPlan('key_only', OPERATOR_ACCOUNT)
  if (accounts === 0) return
  deps.log.warn(
    { accounts },
    `MAYFLY_DEFAULT_PLAN=${plan} applies to new accounts; ${accounts === 1 ? '1 account keeps' : `${accounts} accounts keep`} the plan key_only. \`mayfly admin accounts\` lists them, \`mayfly admin plan EMAIL ${plan}\` moves one.`,
  )
}
