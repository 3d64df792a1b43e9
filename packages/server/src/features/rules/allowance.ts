import type { Limits } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { firstOfMonth, nextDayStart, nextMonthStart, utcDay } from './calendar.ts'
import { limitReached, type ReachedLimit } from './limit-reached.ts'

/**
 * Deducts one inbox from the allowance of the caller's account, in the transaction that creates it:
 * when anything else refuses the inbox, the rollback restores the allowance.
 *
 * The account is locked first: two calls that count at the same time would together exceed it.
 */
export async function spendInbox(
  tx: Tables,
  caller: Caller,
  when: { readonly limits: Limits; readonly now: number },
): Promise<void> {
  const { limits, now } = when
  const today = utcDay(now)
  await tx.accounts.lock(caller.accountId)
  const rows = await tx.usage.list(caller.accountId, firstOfMonth(now), today)
  const thisMonth = rows.reduce((sum, row) => sum + row.inboxes, 0)
  const thisDay = rows.reduce((sum, row) => sum + (row.date === today ? row.inboxes : 0), 0)

  if (limits.inboxesPerMonth !== null && thisMonth >= limits.inboxesPerMonth) {
    throw allowanceError('monthly_allowance_reached', {
      plan: caller.plan,
      limit: 'inboxesPerMonth',
      amount: `${limits.inboxesPerMonth} inboxes per month; the count resets on the 1st, UTC`,
      retryAfterSeconds: Math.ceil((nextMonthStart(now) - now) / 1000),
    })
  }
  if (limits.inboxesPerDay !== null && thisDay >= limits.inboxesPerDay) {
    throw allowanceError('daily_limit_reached', {
      plan: caller.plan,
      limit: 'inboxesPerDay',
      amount: `${limits.inboxesPerDay} inboxes per day; the count resets at midnight, UTC`,
      retryAfterSeconds: Math.ceil((nextDayStart(now) - now) / 1000),
    })
  }
  await tx.usage.add({
    accountId: caller.accountId,
    date: today,
    environment: caller.environment,
    requests: 0,
    inboxes: 1,
  })
}

function allowanceError(
  code: 'monthly_allowance_reached' | 'daily_limit_reached',
  reached: ReachedLimit,
): ServiceError {
  const { retryAfterSeconds } = reached
  return new ServiceError(code, { message: limitReached(reached), retryAfterSeconds })
}
