import type { AccountId, Environment, KeyId, UsageDay } from '@mayfly/contract'
import { StorageUnavailable } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { UsageRow } from '../../store/tables/usage.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { firstOfMonth, lastDays, nextMonthStart, utcDay } from '../rules/calendar.ts'

type Counted = {
  readonly accountId: AccountId
  readonly date: string
  readonly environment: Environment
  requests: number
}

/**
 * Requests counted since the last flush. One write for each request would halve the throughput of
 * a node; a crash loses at most the counts of the last second.
 */
export class RequestCounter {
  #counts = new Map<string, Counted>()
  #lastUses = new Map<KeyId, number>()
  #flushing: Promise<void> | null = null
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one authenticated request. */
  count(caller: Caller): void {
    const now = this.#clock.now()
    const date = utcDay(now)
    const { accountId, environment } = caller
    const name = `${accountId} ${date} ${environment}`
    const counted = this.#counts.get(name)
    if (counted === undefined) {
      this.#counts.set(name, { accountId, date, environment, requests: 1 })
    } else {
      counted.requests += 1
    }
    this.#lastUses.set(caller.keyId, now)
  }

  /**
   * Writes all counts; when that fails, they are kept for the next flush. Those whose COMMIT got no
   * response may be stored: they are not written again, so that no request is counted twice.
   */
  async flush(store: Store): Promise<void> {
    while (this.#flushing !== null) await this.#flushing
    if (this.#counts.size === 0) return
    this.#flushing = this.#write(store).finally(() => {
      this.#flushing = null
    })
    await this.#flushing
  }

  async #write(store: Store): Promise<void> {
    const counts = this.#counts
    const lastUses = this.#lastUses
    this.#counts = new Map()
    this.#lastUses = new Map()
    try {
      await store.transaction(async (tx) => {
        // In order, so that two nodes that write for the same accounts do not deadlock.
        for (const [, counted] of [...counts].sort(byName)) {
          await tx.usage.add({ ...counted, inboxes: 0 })
        }
        await tx.keys.setLastUsed([...lastUses].sort(byName))
      })
    } catch (error) {
      const isUncertain = error instanceof StorageUnavailable && error.isUncertain
      this.#putBack(isUncertain ? new Map() : counts, lastUses)
      throw error
    }
  }

  #putBack(counts: Map<string, Counted>, lastUses: Map<KeyId, number>): void {
    for (const [name, counted] of counts) {
      const newer = this.#counts.get(name)
      if (newer === undefined) this.#counts.set(name, counted)
      else newer.requests += counted.requests
    }
    this.#lastUses = new Map([...lastUses, ...this.#lastUses])
  }
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}

export type UsageDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly requestCounter: RequestCounter
}

/** Usage of the last `days` UTC days, oldest first; days without use are zeros. */
export async function listUsage(
  deps: UsageDeps,
  caller: Caller,
  days: number,
): Promise<UsageDay[]> {
  const dates = lastDays(deps.clock.now(), days)
  const rows = await usageRows(deps, caller, { from: dates[0] ?? '', to: dates.at(-1) ?? '' })
  return dates.map((date) => {
    const ofDay = rows.filter((row) => row.date === date)
    const live = sum(ofDay.filter((row) => row.environment === 'live'))
    const test = sum(ofDay.filter((row) => row.environment === 'test'))
    return { date, ...sum(ofDay), byEnvironment: { live, test } }
  })
}

/** See `usageToday`. */
export type UsageToday = Awaited<ReturnType<typeof usageToday>>

/** Usage of today, and inboxes of this month. */
export async function usageToday(deps: UsageDeps, caller: Caller) {
  const now = deps.clock.now()
  const date = utcDay(now)
  const rows = await usageRows(deps, caller, { from: firstOfMonth(now), to: date })
  return {
    date,
    ...sum(rows.filter((row) => row.date === date)),
    inboxesThisMonth: sum(rows).inboxes,
    monthResetsAt: new Date(nextMonthStart(now)).toISOString(),
  }
}

async function usageRows(
  { store, requestCounter }: UsageDeps,
  { accountId }: Caller,
  span: { readonly from: string; readonly to: string },
): Promise<UsageRow[]> {
  // Counts that could not be written are kept, and shown later: a full disk does not refuse a read.
  await requestCounter.flush(store).catch(() => {})
  return store.usage.list(accountId, span.from, span.to)
}

function sum(rows: readonly UsageRow[]): { requests: number; inboxes: number } {
  return {
    requests: rows.reduce((total, row) => total + row.requests, 0),
    inboxes: rows.reduce((total, row) => total + row.inboxes, 0),
  }
}
