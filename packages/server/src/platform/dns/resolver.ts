import { lookup, Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { ipv6Groups } from '../../ip-address.ts'
import { recordsOrNone } from './dns-unavailable.ts'
import { createSystemAddresses } from './system-lookup.ts'

/** One mail server of a domain. */
type MxRecord = { readonly exchange: string; readonly priority: number }

/** DNS look-ups: no record is an empty list, a failed look-up throws DnsUnavailable. */
export type DnsResolver = {
  /** Every A and AAAA answer. */
  readonly addresses: (name: string) => Promise<readonly string[]>
  /** Every TXT record, its strings joined. */
  readonly txt: (name: string) => Promise<readonly string[]>
  /** Every MX record, the most preferred first. */
  readonly mx: (name: string) => Promise<readonly MxRecord[]>
  /** The names of an address: its PTR records. */
  readonly names: (address: string) => Promise<readonly string[]>
  /** For mailauth: behaves as `dns.promises.resolve`, errors included. */
  readonly resolver: (name: string, rrtype: string) => Promise<string[][] | string[]>
  /** Cancels pending look-ups. */
  readonly close: () => void
}

/** How to look names up. */
export type DnsOptions = {
  /** `host:port` of name servers; empty means those of the system, and its hosts file. */
  readonly servers: readonly string[]
  /** Longest wait for the response of one server. */
  readonly timeoutMs: number
  /** Attempts at each server. */
  readonly tries: number
  /**
   * Resolves addresses through name servers alone, without the hosts file. For names that untrusted
   * users choose: a look-up by the system blocks a thread until the server responds.
   */
  readonly serversAlone?: boolean
}

/** Creates a resolver; throws when `servers` are not IP addresses with ports. */
export function createResolver(options: DnsOptions): DnsResolver {
  const { servers, timeoutMs, tries } = options
  const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries })
  if (servers.length > 0) resolver.setServers(servers)
  const systemAddresses = createSystemAddresses(lookup, timeoutMs * tries)

  return {
    addresses: (name) =>
      servers.length > 0 || options.serversAlone === true
        ? serverAddresses(resolver, name)
        : systemAddresses(name),
    async txt(name) {
      const records = await recordsOrNone(resolver.resolveTxt(name))
      return records.map((strings) => strings.join(''))
    },
    async mx(name) {
      const records = await recordsOrNone(resolver.resolveMx(name))
      return records
        .map(({ exchange, priority }) => ({ exchange, priority }))
        .sort((one, other) => one.priority - other.priority)
    },
    names: (address) => recordsOrNone(resolver.resolvePtr(reverseName(address))),
    resolver: async (name, rrtype) => {
      const answer: unknown = await resolver.resolve(name, rrtype)
      // The type of mailauth omits the objects of MX, which it reads nevertheless.
      return answer as string[][] | string[]
    },
    close: () => resolver.cancel(),
  }
}

/** The name under which the PTR records of an address are. */
function reverseName(address: string): string {
  if (!isIPv6(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  const digits = ipv6Groups(address).map((group) => group.padStart(4, '0'))
  return `${[...digits.join('')].reverse().join('.')}.ip6.arpa`
}

/**
 * Looks both families up. If one fails, the other suffices: broken AAAA is common, and no
 * connection is made to an unknown address.
 */
async function serverAddresses(resolver: Resolver, name: string): Promise<readonly string[]> {
  const families = [recordsOrNone(resolver.resolve4(name)), recordsOrNone(resolver.resolve6(name))]
  const results = await Promise.allSettled(families)
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failure = results.find((result) => result.status === 'rejected')
  if (addresses.length === 0 && failure !== undefined) throw failure.reason
  return addresses
}
