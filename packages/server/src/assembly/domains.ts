import type { Config } from '../config/config.ts'
import type { DomainRecords } from '../features/domains/records.ts'
import { sweepDomains } from '../features/domains/sweep.ts'
import type { Clock } from '../platform/clock.ts'
import { DnsUnavailable } from '../platform/dns/answer.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { runEvery } from './background.ts'

/** DNS lookups for custom domains, and their checks in the background. */
export type DomainParts = {
  readonly dns: DomainRecords
  stop(): Promise<void>
}

/** How often due domains are looked for. */
const SWEEP_MS = 60_000

/** Short, because a caller waits for the answer. */
const LOOKUP = { timeoutMs: 2_000, tries: 2 }

/** Starts the checks of custom domains. */
export function startDomains(deps: {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly hostName: string
  readonly domainSweepMs?: number
}): DomainParts {
  const { log, store, clock, hostName: mailHost } = deps
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

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof DnsUnavailable) return null
    throw error
  }
}
