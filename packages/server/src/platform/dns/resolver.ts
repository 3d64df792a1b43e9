import { lookup, Resolver } from 'node:dns/promises'
import { answersOrNone } from './answer.ts'
import { createSystemAddresses } from './system.ts'

/** One mail server of a domain. */
export type MxRecord = { readonly exchange: string; readonly priority: number }

/** Look-ups that tell "nothing there" (an empty list) from "could not look" (DnsUnavailable). */
export type DnsResolver = {
  /** Every A and AAAA answer. */
  readonly addresses: (name: string) => Promise<readonly string[]>
  /** Every TXT record, the strings of each joined. */
  readonly txt: (name: string) => Promise<readonly string[]>
  /** Every MX record, the most preferred first. */
  readonly mx: (name: string) => Promise<readonly MxRecord[]>
  /** One question as mailauth asks it: as `dns.promises.resolve` answers, errors included. */
  readonly resolver: (name: string, rrtype: string) => Promise<string[][] | string[]>
  /** Gives up what is under way. */
  readonly close: () => void
}

/** How to ask. */
export type DnsOptions = {
  /** `host:port` of name servers; none means the system's, and its hosts file for addresses. */
  readonly servers: readonly string[]
  /** Longest wait for one server's answer. */
  readonly timeoutMs: number
  /** How often each server is asked. */
  readonly tries: number
  /**
   * Whether addresses come from servers alone, without the hosts file. Where strangers choose the
   * names: each look-up by the system holds a thread for as long as a name server is silent.
   */
  readonly serversAlone?: boolean
}

/** A resolver; throws when `servers` holds something other than IP addresses with ports. */
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
      const records = await answersOrNone(resolver.resolveTxt(name))
      return records.map((strings) => strings.join(''))
    },
    async mx(name) {
      const records = await answersOrNone(resolver.resolveMx(name))
      return records
        .map(({ exchange, priority }) => ({ exchange, priority }))
        .sort((one, other) => one.priority - other.priority)
    },
    resolver: async (name, rrtype) => {
      const answer: unknown = await resolver.resolve(name, rrtype)
      // Mailauth's type leaves out the objects of MX, which it reads all the same.
      return answer as string[][] | string[]
    },
    close: () => resolver.cancel(),
  }
}

/**
 * Both families. One that fails is forgiven when the other answers: broken AAAA is common, and what
 * is not known is not connected to.
 */
async function serverAddresses(resolver: Resolver, name: string): Promise<readonly string[]> {
  const families = [answersOrNone(resolver.resolve4(name)), answersOrNone(resolver.resolve6(name))]
  const results = await Promise.allSettled(families)
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failure = results.find((result) => result.status === 'rejected')
  if (addresses.length === 0 && failure !== undefined) throw failure.reason
  return addresses
}
