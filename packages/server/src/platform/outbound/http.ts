import { readAddressRules } from './address-rules.ts'
import { type ConnectOptions, openSocket } from './connect.ts'
import type { Answer } from './exchange.ts'
import { type FailureClass, OutboundError } from './failure.ts'
import { type Hop, nextHop } from './redirect.ts'
import { type Judge, judgeTarget } from './target.ts'
import { createTrust } from './trust.ts'

/** How the one door to the outside is set up. */
export type OutboundOptions = {
  readonly allowPrivate: boolean
  /** CIDR blocks that are allowed beside public addresses. */
  readonly allow: readonly string[]
  /** PEM certificates that are trusted beside the usual authorities. */
  readonly extraCa: string | null
  /** Every A and AAAA answer for a name. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>
  /** Milliseconds, for durations. */
  readonly now: () => number
  /** Longest time for one connection, TLS included; 5 s by default. */
  readonly connectTimeoutMs?: number
}

/** One thing to fetch or to post. */
export type OutboundRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** For everything: look-ups, all hops, the body. */
  readonly timeoutMs: number
  /** 0 takes a redirect for the answer. */
  readonly redirectsMax: number
  /** 0 answers at the headers, without waiting for a body. */
  readonly bodyBytesMax: number
  readonly signal?: AbortSignal
}

type Outcome =
  | ({
      readonly state: 'answered'
      /** Where the answer came from, after redirects. */
      readonly url: string
    } & Answer)
  | { readonly state: 'refused'; readonly detail: string }
  | { readonly state: 'failed'; readonly error: FailureClass; readonly detail: string }

/** What became of a request. */
export type OutboundResult = Outcome & { readonly durationMs: number }

/** The only way to fetch something on somebody else's behalf. */
export type Outbound = {
  /** Never throws for what the network does. */
  readonly request: (request: OutboundRequest) => Promise<OutboundResult>
  /** Gives up what is under way and waits until its sockets are closed. */
  readonly close: () => Promise<void>
}

type Door = Judge & Omit<ConnectOptions, 'signal'>

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Opens the door. Throws when `allow` or `extraCa` cannot be read.
 *
 * Each request has a connection of its own: one that is kept could carry the request of another
 * account, and would have to be judged anew whenever the name moves.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const door: Door = {
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
    const outcome = await fetchWithin(door, request, closing.signal)
    return { ...outcome, durationMs: Math.round(options.now() - startedAt) }
  }
}

async function fetchWithin(
  door: Door,
  request: OutboundRequest,
  closing: AbortSignal,
): Promise<Outcome> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs)
  const givenUp = AbortSignal.any([closing, ...(request.signal ? [request.signal] : [])])
  const signal = AbortSignal.any([givenUp, deadline.signal])
  try {
    return await follow(door, request, signal)
  } catch (error) {
    // Whatever an interrupted step threw: these two are why.
    if (givenUp.aborted) return failed(new OutboundError('aborted'))
    if (deadline.signal.aborted) return failed(new OutboundError('timeout'))
    if (error instanceof OutboundError) return failed(error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function failed({ kind, message }: OutboundError): Outcome {
  if (kind === 'refused') return { state: 'refused', detail: message }
  return { state: 'failed', error: kind, detail: message }
}

async function follow(door: Door, request: OutboundRequest, signal: AbortSignal): Promise<Outcome> {
  const { redirectsMax } = request
  // Loaded with the first request, before any connection is open: most services make none.
  const { exchange } = await import('./exchange.ts')
  let hop: Hop = firstHop(request)
  for (let redirects = 0; ; redirects++) {
    const target = await unlessAborted(judgeTarget(door, hop.url), signal)
    const socket = await openSocket(target, { ...door, signal })
    const current: Hop = { ...hop, url: target.url.href }
    const followUp = (status: number, headers: Answer['headers']) =>
      redirectsMax === 0 ? null : nextHop(current, status, headers['location'])

    const answer = await exchange(socket, current, {
      signal,
      bodyBytesMax: (...seen) => (followUp(...seen) === null ? request.bodyBytesMax : 0),
    })
    const next = followUp(answer.status, answer.headers)
    if (next === null) return { state: 'answered', url: current.url, ...answer }
    if (redirects === redirectsMax) throw new OutboundError('too_many_redirects')
    hop = next
  }
}

function firstHop({ method, url, headers, body }: OutboundRequest): Hop {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { method, url, headers: Object.fromEntries(lowered), body: body ?? null }
}

/** `work`, or a throw as soon as `signal` fires: a name server may stay silent for long. */
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
