import type { CallOptions } from './connection.ts'
import { callOptions } from './options.ts'
import type { Requester } from './request.ts'

/** A domain that inboxes can be created on. */
export type ReceivingDomain = {
  readonly domain: string
  readonly type: 'public' | 'private' | 'custom'
  readonly status: 'active'
}

/** A receiving domain of your own. */
export type Domain = {
  readonly domain: string
  /** `pending` until its TXT record is found, `active` once its MX points to the service. */
  readonly state: 'pending' | 'verified' | 'active'
  readonly txtRecord: { readonly name: string; readonly type: 'TXT'; readonly value: string }
  readonly mxRecord: {
    readonly name: string
    readonly type: 'MX'
    readonly value: string
    readonly priority: number
  }
  readonly createdAt: string
  readonly verifiedAt: string | null
  readonly activeAt: string | null
  readonly lastCheckedAt: string | null
  /** When the registration lapses if the TXT record stays missing; null while it is found. */
  readonly lapsesAt: string | null
}

/** Calls about receiving domains. */
export type DomainCalls = {
  /** Domains that an inbox can be created on. */
  list(options?: CallOptions): Promise<readonly ReceivingDomain[]>
  /** The account's own domains, with the state of each. */
  listCustom(options?: CallOptions): Promise<readonly Domain[]>
  /** Registers a domain; the result names the DNS records to publish. Needs an admin key. */
  register(domain: string, options?: CallOptions): Promise<Domain>
  /** Checks the DNS records; throws `txt_record_not_found` while the TXT record is missing. */
  verify(domain: string, options?: CallOptions): Promise<Domain>
  /** Deletes the registration; the domain's inboxes expire immediately. Needs an admin key. */
  delete(domain: string, options?: CallOptions): Promise<void>
}

/** Binds the calls about domains. */
export function domainCalls(requester: Requester): DomainCalls {
  const path = '/v1/domains'
  const pathOf = (domain: string) => `${path}/${encodeURIComponent(domain)}`
  return {
    list: async (options) =>
      requester.field('domains', { method: 'GET', path, ...callOptions(options) }),
    listCustom: async (options) =>
      requester.field('domains', {
        method: 'GET',
        path: `${path}/custom`,
        ...callOptions(options),
      }),
    register: async (domain, options) =>
      requester.field('domain', {
        method: 'POST',
        path,
        body: { domain },
        ...callOptions(options),
      }),
    verify: async (domain, options) => {
      const verification = `${pathOf(domain)}/verify`
      const call = {
        method: 'POST',
        path: verification,
        isRepeatable: true,
        ...callOptions(options),
      } as const
      return requester.field('domain', call)
    },
    delete: async (domain, options) =>
      requester.done({ method: 'DELETE', path: pathOf(domain), ...callOptions(options) }),
  }
}
