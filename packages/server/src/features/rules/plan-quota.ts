import { ServiceError } from '../../errors.ts'

/**
 * Throws when the plan allows no more of them; `what` is their name in the singular.
 *
 * Count and write in one transaction that holds the account's lock: two calls that count at the
 * same time would together exceed the limit.
 */
export function requirePlanQuota(
  what: string,
  count: { readonly limit: number | null; readonly used: number },
  plural = `${what}s`,
): void {
  const { limit, used } = count
  if (limit === null || used < limit) return
  const message =
    limit === 0
      ? `The plan of this account does not include ${plural}.`
      : `The plan of this account includes ${limit} ${limit === 1 ? what : plural}. Delete one first.`
  throw new ServiceError('plan_limit', { message })
}
