import { readFileSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { FetchLink } from '../features/assertions/link-fetches.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createResolver, type DnsResolver } from '../platform/dns/resolver.ts'
import { createOutbound, type Outbound } from '../platform/outbound/http-client.ts'

/** Outbound HTTP client with its DNS resolver. */
export type OutboundParts = {
  readonly http: Outbound
  readonly fetchLink: FetchLink
  stop(): Promise<void>
}

/** Longest time for one lookup. */
const DNS_TIMEOUT_MS = 3_000

/** Redirects that a link check follows. */
const LINK_REDIRECTS_MAX = 5

/** Opens the HTTP client for link checks and webhooks. */
export function openOutbound(config: Config): OutboundParts {
  const resolver = createResolver({
    servers: config.MAYFLY_DNS_SERVERS,
    timeoutMs: DNS_TIMEOUT_MS,
    tries: 2,
    // The hosts file names private addresses; it is read only where those are allowed.
    serversAlone: !config.MAYFLY_ALLOW_PRIVATE_NETWORK && config.MAYFLY_OUTBOUND_ALLOW.length === 0,
  })
  const http = createClient(config, resolver)
  return {
    http,
    fetchLink: (url, { timeoutMs, signal }) =>
      http.request({
        method: 'GET',
        url,
        headers: { 'user-agent': 'Mayfly (link check)', accept: '*/*' },
        timeoutMs,
        signal,
        redirectsMax: LINK_REDIRECTS_MAX,
        bodyBytesMax: 0,
      }),
    stop: async () => {
      await http.close()
      resolver.close()
    },
  }
}

function createClient(config: Config, resolver: DnsResolver): Outbound {
  const extraCa = readExtraCa(config.MAYFLY_EXTRA_CA)
  try {
    return createOutbound({
      allowPrivate: config.MAYFLY_ALLOW_PRIVATE_NETWORK,
      allow: config.MAYFLY_OUTBOUND_ALLOW,
      extraCa,
      resolve: resolver.addresses,
      now: elapsedMs,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartRefused(`${reason}. Check MAYFLY_OUTBOUND_ALLOW and MAYFLY_EXTRA_CA.`)
  }
}

function readExtraCa(path: string | null): string | null {
  if (path === null) return null
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartRefused(`MAYFLY_EXTRA_CA names a file that cannot be read: ${String(error)}`)
  }
}
