import type { Limits, Plan } from '@mayfly/contract'

/** A limit of a plan that was reached. */
export type ReachedLimit = {
  readonly plan: Plan
  readonly limit: keyof Limits
  /** `20 inboxes per day`. */
  readonly amount: string
  readonly retryAfterSeconds: number
}

/** The limit, when to try again, and how the operator raises it. */
export function limitReached({ plan, limit, amount, retryAfterSeconds }: ReachedLimit): string {
  const setting = `MAYFLY_PLAN_${plan.toUpperCase()}=${limit}=NUMBER`
  return [
    `The plan ${plan} allows ${amount}. Try again in ${seconds(retryAfterSeconds)}.`,
    `If you run this service: \`mayfly admin plan EMAIL unlimited\` removes the limits of an account; ${setting} changes this limit of the plan.`,
  ].join(' ')
}

/** `1 second`, `20 seconds`. */
export function seconds(count: number): string {
  return `${count} second${count === 1 ? '' : 's'}`
}
