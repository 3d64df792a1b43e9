import type { Config } from '../config/config.ts'
import type { DomainRecords } from '../features/domains/records.ts'
import { sweepDomains } from '../features/domains/sweep.ts'
import { runEvery } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import { DnsUnavailable } from '../platform/dns/dns-unavailable.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'

/** DNS lookups for custom domains, and their checks in the background. */
export type RunningDomains = {
  readonly dns: DomainRecords
  stop(): Promise<void>
}

/** How often the store is polled for due domains. */
const SWEEP_MS = 60_000

/** Short, because a caller waits for the response. */
const LOOKUP = { timeoutMs: 2_000, tries: 2 }

/** Starts the checks of custom domains. */
export function startDomains(deps: {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly mailHost: string
  readonly domainSweepMs?: number
}): RunningDomains {
  const { log, store, clock, mailHost } = deps
  const resolver = createResolver({ servers: deps.config.MAYFLY_DNS_SERVERS, ...LOOKUP })
  const dns: DomainRecords = {
    txt: (name) => orNull(resolver.txt(name)),
    mx: (name) => orNull(resolver.mx(name)),
  }
  let isStopped = false
  const sweep = { store, clock, dns, mailHost, isStopped: () => isStopped }
  const about = { name: 'the check of custom domains', log }
  const sweeping = runEvery(deps.domainSweepMs ?? SWEEP_MS, about, async () => {
    const { removed, checked } = await sweepDomains(sweep)
    if (removed + checked > 0) log.info({ removed, checked }, 'custom domains checked')
  })
  return {
    dns,
    stop: async () => {
      isStopped = true
      resolver.close()
      await sweeping.stop()
    },
  }
}

async function orNull<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof DnsUnavailable) return null
    throw error
  }
}
