import { readAddressRules } from './address-rules.ts'
import { type ConnectOptions, createTrust, openSocket } from './connect.ts'
import type { Hop, HttpResponse } from './http-request.ts'
import { type FailureClass, OutboundError } from './outbound-error.ts'
import { resolveTarget, type TargetOptions } from './target.ts'

/** How outbound HTTP is set up. */
export type OutboundOptions = {
  readonly allowPrivate: boolean
  /** CIDR blocks that are allowed in addition to public addresses. */
  readonly allow: readonly string[]
  /** PEM certificates that are trusted in addition to the default authorities. */
  readonly extraCa: string | null
  /** Every A and AAAA answer for a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>
  /** Milliseconds, for durations. */
  readonly now: () => number
  /** Longest time for one connection, TLS included; 5 s by default. */
  readonly connectTimeoutMs?: number
}

/** One request, and the bounds on it. */
export type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Bounds look-ups, all redirects and the body together. */
  readonly timeoutMs: number
  /** 0 returns a redirect as the response. */
  readonly redirectsMax: number
  /** 0 returns at the headers, without waiting for a body. */
  readonly bodyBytesMax: number
  readonly signal?: AbortSignal
}

type Outcome =
  | ({
      readonly state: 'responded'
      /** Where the response came from, after redirects. */
      readonly url: string
    } & HttpResponse)
  | { readonly state: 'refused'; readonly detail: string }
  | { readonly state: 'failed'; readonly error: FailureClass; readonly detail: string }

/** How a request ended. */
export type OutboundResult = Outcome & { readonly durationMs: number }

/** Outbound HTTP client: the only one for URLs that users or senders chose. */
export type Outbound = {
  /** Never throws for a network failure. */
  readonly request: (request: OutboundRequest) => Promise<OutboundResult>
  /** Aborts pending requests and waits until their sockets are closed. */
  readonly close: () => Promise<void>
}

type Settings = TargetOptions & Omit<ConnectOptions, 'signal'>

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Creates the outbound HTTP client. Throws when `allow` or `extraCa` cannot be read.
 *
 * Each request has a connection of its own: a kept one could carry the request of another account,
 * and its address would have to be checked again whenever DNS changes.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const settings: Settings = {
    rules: readAddressRules(options),
    resolve: options.resolve,
    secureContext: createTrust(options.extraCa),
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  }
  const closing = new AbortController()
  const underWay = new Set<Promise<OutboundResult>>()

  return {
    request(request) {
      const result = fetchTimed(request)
      underWay.add(result)
      const forget = () => underWay.delete(result)
      result.then(forget, forget)
      return result
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
    },
  }

  async function fetchTimed(request: OutboundRequest): Promise<OutboundResult> {
    const startedAt = options.now()
    const outcome = await fetchWithin(settings, request, closing.signal)
    return { ...outcome, durationMs: Math.round(options.now() - startedAt) }
  }
}

async function fetchWithin(
  settings: Settings,
  request: OutboundRequest,
  closing: AbortSignal,
): Promise<Outcome> {
  // Not AbortSignal.any: Node keeps such a signal as long as `closing` when anything listens to it,
  // and undici still does after a response whose body was not read.
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, request.timeoutMs)
  const sources = [closing, ...(request.signal ? [request.signal] : [])]
  for (const source of sources) source.addEventListener('abort', end)
  const isGivenUp = () => sources.some(({ aborted }) => aborted)
  if (isGivenUp()) end()
  try {
    return await followRedirects(settings, request, ending.signal)
  } catch (error) {
    // An interrupted step may throw anything; the signals identify the cause.
    if (isGivenUp()) return failed(new OutboundError('aborted'))
    if (ending.signal.aborted) return failed(new OutboundError('timeout'))
    if (error instanceof OutboundError) return failed(error)
    throw error
  } finally {
    clearTimeout(timer)
    for (const source of sources) source.removeEventListener('abort', end)
  }
}

function failed({ kind, message }: OutboundError): Outcome {
  if (kind === 'refused') return { state: 'refused', detail: message }
  return { state: 'failed', error: kind, detail: message }
}

async function followRedirects(
  settings: Settings,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { redirectsMax } = request
  // Loads undici with the first request, before a connection is open: many services make none.
  const { exchange } = await import('./http-request.ts')
  let hop: Hop = firstHop(request)
  for (let redirects = 0; ; redirects++) {
    const target = await unlessAborted(resolveTarget(settings, hop.url), signal)
    const socket = await openSocket(target, { ...settings, signal })
    const current: Hop = { ...hop, url: target.url.href }
    const followUp = (status: number, headers: HttpResponse['headers']) =>
      redirectsMax === 0 ? null : nextHop(current, status, headers['location'])

    const response = await exchange(socket, current, {
      signal,
      bodyBytesMax: (...seen) => (followUp(...seen) === null ? request.bodyBytesMax : 0),
    })
    const next = followUp(response.status, response.headers)
    if (next === null) return { state: 'responded', url: current.url, ...response }
    if (redirects === redirectsMax) throw new OutboundError('too_many_redirects')
    hop = next
  }
}

function firstHop({ method, url, headers, body }: OutboundRequest): Hop {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { method, url, headers: Object.fromEntries(lowered), body: body ?? null }
}

/** Rejects as soon as `signal` fires: a name server may respond late. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers that are sent on to another origin: no credentials, no signatures. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
])

/**
 * The request that follows `hop` after this response, or null when it is no redirect.
 *
 * 303 turns every method into GET, 301 and 302 do as browsers made usual, 307 and 308 repeat the
 * request. Headers that were dropped on the way to another origin stay dropped on the way back.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | null {
  if (!REDIRECTS.has(status) || location === undefined) return null

  const isRepeated = status === 307 || status === 308
  const url = URL.parse(location, hop.url)
  const isSameOrigin = url?.origin === new URL(hop.url).origin
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (isSameOrigin || CROSS_ORIGIN_HEADERS.has(name)) &&
      (isRepeated || !name.startsWith('content-')),
  )
  return {
    method: isRepeated ? hop.method : 'GET',
    // An unparsable URL is passed on as it is, to be refused like any other bad URL.
    url: url?.href ?? location,
    headers: Object.fromEntries(headers),
    body: isRepeated ? hop.body : null,
  }
}
