import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import { isLocalHost } from '../ip-address.ts'

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** Whether a Host header names this service. Its port is ignored: port forwarding changes it. */
export function isOwnHost(header: string | undefined, baseUrl: string): boolean {
  const name = HOST.exec(header ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (isLocalHost(name) || name === new URL(baseUrl).hostname)
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
 */
export function refuseCrossOrigin(http: FastifyInstance, baseUrl: () => string): void {
  // Mostly the same for all requests.
  let allowedHost: string | undefined
  http.addHook('onRequest', ({ headers, method }, _reply, done) => {
    const { host, origin } = headers
    const isRead = method === 'GET' || method === 'HEAD'
    if (host === undefined || host !== allowedHost) {
      if (!isOwnHost(host, baseUrl())) throw new ServiceError('origin_refused')
      allowedHost = host
    }
    const isAllowed = isRead
      ? origin === undefined || isOwnHost(URL.parse(origin)?.hostname, baseUrl())
      : isOfOwnPage(headers, { baseUrl: baseUrl() })
    if (!isAllowed) throw new ServiceError('origin_refused')
    done()
  })
}
