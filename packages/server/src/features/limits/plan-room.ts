import { ServiceError } from '../../errors.ts'

/**
 * Refuses one more of what a plan limits by number. Count and write in one transaction that
 * holds the account's lock: two that count at once would both see the last place.
 */
export function requirePlanRoom(
  what: string,
  count: { readonly limit: number | null; readonly used: number },
): void {
  if (count.limit === null || count.used < count.limit) return
  throw new ServiceError('plan_limit', {
    message:
      count.limit === 0
        ? `The plan of this account does not include ${what}.`
        : `The plan of this account includes ${count.limit} ${what}, and all are in use.`,
  })
}
