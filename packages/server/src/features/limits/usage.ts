import type { AccountId, Environment, KeyId, UsageDay } from '@mayfly/contract'
import { StorageUnavailable } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import type { UsageRow } from '../../store/tables/usage.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { firstOfMonth, lastDays, nextMonthStart, UtcDays, utcDay } from './calendar.ts'

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
  #flushes = 0
  #flushing: Promise<void> | null = null
  readonly #clock: Clock
  readonly #days = new UtcDays()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one authenticated request. */
  count(caller: Caller): void {
    const now = this.#clock.now()
    const date = this.#days.at(now)
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
   * Stored usage and usage that is not written yet, of the same moment. Reads again when a flush
   * came in between, whose requests would be counted twice or not at all.
   */
  async readWith(
    accountId: AccountId,
    readStored: () => Promise<readonly UsageRow[]>,
  ): Promise<readonly UsageRow[]> {
    for (;;) {
      while (this.#flushing !== null) await this.#flushing
      const flushesBefore = this.#flushes
      const stored = await readStored()
      if (this.#flushes === flushesBefore) return [...stored, ...this.#pending(accountId)]
    }
  }

  /**
   * Writes all counts; when that fails, they are kept for the next flush. Those whose COMMIT got no
   * response may be stored: they are not written again, so that no request is counted twice.
   */
  async flush(store: Store): Promise<void> {
    while (this.#flushing !== null) await this.#flushing
    if (this.#counts.size === 0) return
    this.#flushes += 1
    const written = this.#write(store)
    const done = () => {
      this.#flushing = null
    }
    this.#flushing = written.then(done, done)
    await written
  }

  async #write(store: Store): Promise<void> {
    const counts = this.#counts
    const lastUses = this.#lastUses
    this.#counts = new Map()
    this.#lastUses = new Map()
    let isWritten = false
    try {
      await store.transaction(async (tx) => {
        // In order, so that two nodes that write for the same accounts do not deadlock.
        for (const [, counted] of [...counts].sort(byName)) {
          await tx.usage.add({ ...counted, inboxes: 0 })
        }
        await tx.keys.setLastUsed([...lastUses].sort(byName))
        isWritten = true
      })
    } catch (error) {
      // Without space nothing was committed; SQLite finds that out at COMMIT. A sync after it is
      // uncertain.
      const isFull = error instanceof StorageUnavailable && error.full && !error.isUncertain
      this.#putBack(isWritten && !isFull ? new Map() : counts, lastUses)
      throw error
    }
  }

  #pending(accountId: AccountId): UsageRow[] {
    return [...this.#counts.values()]
      .filter((counted) => counted.accountId === accountId)
      .map(({ date, environment, requests }) => ({ date, environment, requests, inboxes: 0 }))
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

/** What reading usage needs. */
export type UsageDeps = {
  readonly store: Tables
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
  deps: UsageDeps,
  caller: Caller,
  span: { readonly from: string; readonly to: string },
): Promise<UsageRow[]> {
  const rows = await deps.requestCounter.readWith(caller.accountId, () =>
    deps.store.usage.list(caller.accountId, span.from, span.to),
  )
  return rows.filter((row) => row.date >= span.from && row.date <= span.to)
}

function sum(rows: readonly UsageRow[]): { requests: number; inboxes: number } {
  return {
    requests: rows.reduce((total, row) => total + row.requests, 0),
    inboxes: rows.reduce((total, row) => total + row.inboxes, 0),
  }
}
