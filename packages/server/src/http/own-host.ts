import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** Names and addresses by which a program on the same machine reaches the service. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i

/** Whether a host name or address means this machine, whoever resolves it. */
export function isLocalHost(host: string): boolean {
  return LOCAL_HOST.test(host)
}

/** Whether a Host header names this service. Its port is ignored: port forwarding changes it. */
export function isOwnHost(header: string | undefined, baseUrl: string): boolean {
  const name = HOST.exec(header ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (isLocalHost(name) || name === new URL(baseUrl).hostname)
}

/** Whether an Origin header names a page of this machine or of the base URL's host. */
function isOwnOrigin(header: string, baseUrl: string): boolean {
  const origin = URL.parse(header)
  return origin !== null && isOwnHost(origin.hostname, baseUrl)
}

/**
 * Refuses, on every route, requests that a page of another site sent.
 *
 * A service that listens on loopback counts on being reached by programs of the same machine
 * alone. A browser is such a program, and by DNS rebinding a page can resolve its own name to the
 * loopback address and send requests past the same-origin policy; but its Host and Origin still
 * name the page. Programs other than browsers send no Origin.
 */
export function refuseForeignPages(http: FastifyInstance, baseUrl: () => string): void {
  // Mostly the same for all requests.
  let allowedHost: string | undefined
  http.addHook('onRequest', ({ headers }, _reply, done) => {
    const { host, origin } = headers
    if (origin === undefined && host !== undefined && host === allowedHost) return done()
    if (!isOwnRequest(headers, baseUrl())) throw new ServiceError('origin_refused')
    allowedHost = host
    done()
  })
}

/** Whether a request was sent by no page, or by one of the host that it names. */
export function isOfOwnPage(
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  baseUrl: string,
): boolean {
  return origin === undefined || URL.parse(origin)?.host === host || isOwnOrigin(origin, baseUrl)
}

/** Whether a request names this service, and was sent by no page or by one of its own host. */
export function isOwnRequest(
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  baseUrl: string,
): boolean {
  return isOwnHost(host, baseUrl) && (origin === undefined || isOwnOrigin(origin, baseUrl))
}
