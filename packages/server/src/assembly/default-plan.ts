import type { Config } from '../config/config.ts'
import { OPERATOR_ACCOUNT } from '../features/receiving/operator-inbox.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'

/**
 * Says how many accounts are still on the plan for trials when new accounts get another one:
 * whoever changes the setting may expect that it applies to all.
 */
export async function tellKeptPlans(deps: {
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
