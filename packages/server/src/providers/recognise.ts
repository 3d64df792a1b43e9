// Which provider a request is for, and which of its routes.

import type { Headers, Provider, ProviderName, Route } from './provider.ts'

/** The path in which each provider has its base URL on the HTTP port. */
export const PREFIX = '/providers/'

/** A request for a provider. */
export type Target = {
  readonly provider: Provider
  /** Behind the base URL, with single slashes, decoded nowhere. */
  readonly path: string
  readonly query: string
}

/** A route, and the parameters of its path. */
export type Matched = { readonly route: Route; readonly params: Readonly<Record<string, string>> }

/**
 * The provider that a path below `PREFIX` names; null for any other. SDKs join base URL and path
 * with two slashes or with none: both are accepted.
 */
export function byPrefix(url: string, providers: readonly Provider[]): Target | null {
  const { path, query } = split(url)
  const [, rest = ''] = /^\/providers\/(.*)$/.exec(path) ?? []
  const provider = providers.find(({ name }) => rest.startsWith(name))
  if (provider === undefined) return null
  return { provider, path: withSlash(rest.slice(provider.name.length)), query }
}

/** The provider of a request to the root of a listener: by Host, by path, then by credentials. */
export function atRoot(
  {
    method,
    url,
    headers,
  }: { readonly method: string; readonly url: string; readonly headers: Headers },
  providers: readonly Provider[],
): Target | null {
  const prefixed = byPrefix(url, providers)
  if (prefixed !== null) return prefixed
  const { path, query } = split(url)
  const host = (headers['host'] ?? '').replace(/:\d+$/, '').toLowerCase()
  const isHost = (real: string) =>
    host === real || (real.startsWith('*.') && host.endsWith(real.slice(1)))
  const named = providers.find(({ hosts }) => hosts.some(isHost))
  const found = named ?? byRoute(method, path, { headers, providers })
  return found === undefined ? null : { provider: found, path, query }
}

/** Credentials that only one provider has. */
const CREDENTIALS: readonly (readonly [ProviderName, (headers: Headers) => boolean])[] = [
  ['ses', ({ authorization }) => authorization?.startsWith('AWS4-HMAC-SHA256 ') === true],
  [
    'postmark',
    (headers) =>
      headers['x-postmark-server-token'] !== undefined ||
      headers['x-postmark-account-token'] !== undefined,
  ],
  ['mailgun', ({ authorization }) => /^Basic YXBpO/i.test(authorization ?? '')],
  ['brevo', (headers) => headers['api-key'] !== undefined],
  ['zeptomail', ({ authorization }) => authorization?.startsWith('Zoho-enczapikey ') === true],
  ['mailjet', ({ authorization }) => authorization?.startsWith('Basic ') === true],
]

function byRoute(
  method: string,
  path: string,
  { headers, providers }: { readonly headers: Headers; readonly providers: readonly Provider[] },
): Provider | undefined {
  const owners = providers.filter(({ routes }) => findRoute(routes, method, path) !== null)
  if (owners.length <= 1) return owners[0] ?? byCredentials(headers, providers)
  return byCredentials(headers, owners) ?? owners[0]
}

function byCredentials(headers: Headers, providers: readonly Provider[]): Provider | undefined {
  const known = CREDENTIALS.find(
    ([name, has]) => has(headers) && providers.some((one) => one.name === name),
  )
  return providers.find(({ name }) => name === known?.[0])
}

/** The route of a path; null without one. */
export function findRoute(routes: readonly Route[], method: string, path: string): Matched | null {
  const parts = path.replace(/\/$/, '').split('/')
  for (const route of routes) {
    if (route.method !== method) continue
    const params = match(route.path, parts)
    if (params !== null) return { route, params }
  }
  return null
}

function match(pattern: string, given: readonly string[]): Record<string, string> | null {
  const wanted = pattern.replace(/\/$/, '').split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? ''
    if (part.startsWith(':')) {
      if (text === '') return null
      params[part.slice(1)] = decode(text)
    } else if (part !== text) return null
  }
  return params
}

/** Percent-decoded; unchanged when that is malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function split(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  return { path: withSlash(path.replace(/\/{2,}/g, '/')), query: at < 0 ? '' : url.slice(at + 1) }
}

const withSlash = (path: string) => (path.startsWith('/') ? path : `/${path}`)
