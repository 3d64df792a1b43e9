import { readFileSync } from 'node:fs'
import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { FetchLink } from '../features/assertions/link-fetches.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import {
  createOutbound,
  type OutboundRequest,
  type OutboundResult,
} from '../platform/outbound/http-client.ts'

/** Outbound HTTP, for link checks and webhooks. */
export type RunningOutbound = {
  /** Makes a request for an account. */
  readonly request: (owner: AccountId, request: OutboundRequest) => Promise<OutboundResult>
  readonly fetchLink: FetchLink
  stop(): Promise<void>
}

/** Longest time for one lookup. */
const DNS_TIMEOUT_MS = 3_000

/** Redirects that a link check follows. */
const LINK_REDIRECTS_MAX = 5

/**
 * Opens outbound HTTP. The account `privateFor` may reach private addresses whatever the settings
 * say: its user is on this machine and can reach them anyway.
 */
export function openOutbound(config: Config, privateFor: AccountId | null): RunningOutbound {
  const shared = openClient(config, config.MAYFLY_ALLOW_PRIVATE_NETWORK)
  const local = privateFor === null ? shared : openClient(config, true)
  const request: RunningOutbound['request'] = (owner, one) =>
    (owner === privateFor ? local : shared).http.request(one)
  return {
    request,
    fetchLink: (url, { accountId, followsRedirects, timeoutMs, signal }) =>
      request(accountId, {
        method: 'GET',
        url,
        headers: { 'user-agent': 'Mayfly (link check)', accept: '*/*' },
        timeoutMs,
        signal,
        redirectsMax: followsRedirects ? LINK_REDIRECTS_MAX : 0,
        bodyBytesMax: 0,
      }),
    stop: async () => {
      await Promise.all([shared.stop(), local.stop()])
    },
  }
}

/** An HTTP client with its DNS resolver. */
function openClient(config: Config, allowPrivate: boolean) {
  const resolver = createResolver({
    servers: config.MAYFLY_DNS_SERVERS,
    timeoutMs: DNS_TIMEOUT_MS,
    tries: 2,
    // The hosts file names private addresses; it is read only where those are allowed.
    serversAlone: !allowPrivate && config.MAYFLY_OUTBOUND_ALLOW.length === 0,
  })
  const extraCa = readExtraCa(config.MAYFLY_EXTRA_CA)
  try {
    const http = createOutbound({
      allowPrivate,
      allow: config.MAYFLY_OUTBOUND_ALLOW,
      extraCa,
      resolve: resolver.addresses,
      now: elapsedMs,
    })
    const stop = async () => {
      await http.close()
      resolver.close()
    }
    return { http, stop }
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
