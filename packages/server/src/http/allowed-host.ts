import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import { isLocalHost } from '../ip-address.ts'

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** The names of this service, besides those of this machine. */
export type OwnNames = {
  readonly baseUrl: () => string
  /** Host names; `*.` at the beginning stands for every name below. */
  readonly allowedHosts: readonly string[]
  /** Whether names and addresses that no public name can resolve to are its own, too. */
  readonly allowsPrivateNames: boolean
}

/** Domains of private networks: no name below them can be registered. */
const PRIVATE_SUFFIXES = ['.internal', '.local', '.test']

/** Whether a Host header names this service. Its port is ignored: port forwarding changes it. */
export function isOwnHost(header: string | undefined, own: OwnNames): boolean {
  const name = HOST.exec(header ?? '')?.[1]?.toLowerCase()
  if (name === undefined) return false
  if (isLocalHost(name) || name === new URL(own.baseUrl()).hostname) return true
  if (own.allowsPrivateNames && isPrivateName(name)) return true
  return own.allowedHosts.some((pattern) =>
    pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern,
  )
}

/** An address, or a name that is not in the public DNS: no page can have it by DNS rebinding. */
function isPrivateName(name: string): boolean {
  if (!name.includes('.') || isIP(name) !== 0) return true
  return PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix))
}

/** The headers in which a browser names the page that sent a request; no page can set them. */
export type PageHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'>

/**
 * Whether a request was sent by no page, or by one that this service served: the port counts, too.
 * Another program of the same machine may show pages of any author.
 *
 * Pages of the host and port that the request names are own, which may be those of a proxy. With a
 * `port` they are not: only those of the base URL, and of this port of this machine.
 */
export function isOfOwnPage(
  { host, origin, 'sec-fetch-site': site }: PageHeaders,
  { baseUrl, port = null }: { readonly baseUrl: string; readonly port?: number | null },
): boolean {
  // Also where the browser sends no Origin.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (origin === undefined) return true
  const page = URL.parse(origin)
  if (page === null) return false
  const asked = port === null ? `${page.protocol}//${host}` : `http://localhost:${port}`
  return page.origin === new URL(baseUrl).origin || isSameService(page, URL.parse(asked))
}

/** Whether two URLs lead to the same port of the same host. All names of this machine are one. */
function isSameService(page: URL, asked: URL | null): boolean {
  if (asked === null || page.protocol !== asked.protocol || page.port !== asked.port) return false
  const areLocal = isLocalHost(page.hostname) && isLocalHost(asked.hostname)
  return areLocal || page.hostname === asked.hostname
}

/**
 * Refuses, on every route, requests that a page of another site sent.
 *
 * A service that listens on loopback counts on being reached by programs of the same machine
 * alone. A browser is such a program, and by DNS rebinding a page can resolve its own name to the
 * loopback address and send requests past the same-origin policy; but its Host and Origin still
 * name the page. Programs other than browsers send no Origin.
 *
 * Reading routes need a key, or reveal nothing of an account, or are behind `isOfOwnPage`: a page
 * of another program of this machine may request them.
 *
 * With `exceptWithKey`, requests with an Authorization header may use any name: the service does
 * not only serve this machine, and a page cannot know a key.
 */
export function refuseCrossOrigin(
  http: FastifyInstance,
  own: OwnNames,
  { exceptWithKey }: { readonly exceptWithKey: boolean },
): void {
  // Mostly the same for all requests.
  let allowedHost: string | undefined
  http.addHook('onRequest', ({ headers, method }, _reply, done) => {
    const { host, origin } = headers
    if (exceptWithKey && headers.authorization !== undefined) return done()
    const isRead = method === 'GET' || method === 'HEAD'
    if (host === undefined || host !== allowedHost) {
      if (!isOwnHost(host, own)) throw new ServiceError('origin_refused')
      allowedHost = host
    }
    const isAllowed = isRead
      ? origin === undefined || isOwnHost(URL.parse(origin)?.hostname, own)
      : isOfOwnPage(headers, { baseUrl: own.baseUrl() })
    if (!isAllowed) throw new ServiceError('origin_refused')
    done()
  })
}
