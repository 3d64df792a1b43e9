import type { Domain } from '@mayfly/contract'
import type { CustomDomain } from '../../store/tables/domains.ts'
import { CHALLENGE_LABEL } from './domain-name.ts'
import { CLAIM_MS, type Records } from './state.ts'

/** A mail exchanger of a domain; the lowest priority is preferred. */
export type MailExchanger = { readonly exchange: string; readonly priority: number }

/** DNS lookups; null when DNS did not respond. */
export type DomainRecords = {
  txt(name: string): Promise<readonly string[] | null>
  mx(name: string): Promise<readonly MailExchanger[] | null>
}

/** The suggested priority; any other works as well. */
const MX_PRIORITY = 10

/** The TXT record that proves ownership. */
function challengeRecord(domain: Pick<CustomDomain, 'domain' | 'challenge'>) {
  return {
    name: `${CHALLENGE_LABEL}.${domain.domain}`,
    type: 'TXT' as const,
    value: `mayfly-verification=${domain.challenge}`,
  }
}

/** A custom domain as the API returns it. */
export function domainView(domain: CustomDomain, mailHost: string): Domain {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    domain: domain.domain,
    state: domain.state,
    txtRecord: challengeRecord(domain),
    mxRecord: { name: domain.domain, type: 'MX', value: mailHost, priority: MX_PRIORITY },
    createdAt: new Date(domain.createdAt).toISOString(),
    verifiedAt: time(domain.verifiedAt),
    activeAt: time(domain.activeAt),
    lastCheckedAt: time(domain.lastCheckedAt),
    lapsesAt: time(domain.unprovenSince === null ? null : domain.unprovenSince + CLAIM_MS),
  }
}

/** Looks up the records of a domain; null when the lookup of its proof failed. */
export async function lookUpRecords(
  dns: DomainRecords,
  domain: CustomDomain,
  mailHost: string,
): Promise<Records | null> {
  const { name, value } = challengeRecord(domain)
  const [texts, exchangers] = await Promise.all([dns.txt(name), dns.mx(domain.domain)])
  if (texts === null) return null
  return {
    isProven: texts.some((text) => text.trim() === value),
    isMailHere: exchangers === null ? null : pointsTo(exchangers, mailHost),
  }
}

/** Whether the host has the best priority: with a lower one it would rarely receive mail. */
export function pointsTo(exchangers: readonly MailExchanger[], mailHost: string): boolean {
  const best = Math.min(...exchangers.map(({ priority }) => priority))
  return exchangers.some(
    ({ exchange, priority }) => priority === best && sameName(exchange, mailHost),
  )
}

function sameName(one: string, other: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, '')
  return plain(one) === plain(other)
}
