import type { Limits, Plan } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { plansWith } from '../features/rules/plans.ts'

/** The limits of each plan, with the operator's overrides. */
export function configuredPlans(config: Config): (plan: Plan) => Limits {
  return plansWith({
    key_only: config.MAYFLY_PLAN_KEY_ONLY,
    connected: config.MAYFLY_PLAN_CONNECTED,
    unlimited: config.MAYFLY_PLAN_UNLIMITED,
  })
}
