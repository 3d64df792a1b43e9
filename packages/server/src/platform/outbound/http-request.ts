import type { Socket } from 'node:net'
import { Client } from 'undici'
import { exchangeError, OutboundError } from './outbound-error.ts'

/** One request of a chain of redirects. */
export type Hop = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** The response to one request. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isTruncated: boolean
}

/** Bounds on one exchange. */
export type ExchangeOptions = {
  /** How much of the body to read for this status; 0 leaves it unread and does not wait for it. */
  readonly bodyBytesMax: (status: number, headers: HttpResponse['headers']) => number
  readonly signal: AbortSignal
}

/** Largest header section of a response: what Node's own client and most servers allow. */
const HEADER_BYTES_MAX = 16 * 1024

/** Response headers that callers get: only those that they use, none to log by mistake. */
const KEPT_HEADERS = ['content-type', 'location', 'retry-after'] as const

/**
 * Sends `hop` over `socket` and reads the response; the socket is closed afterwards in any case.
 *
 * Throws an OutboundError for a failure of the peer. The body is never decompressed: a small one
 * could become gigabytes.
 */
export async function exchange(
  socket: Socket,
  hop: Hop,
  { bodyBytesMax, signal }: ExchangeOptions,
): Promise<HttpResponse> {
  const url = new URL(hop.url)
  const client = new Client(url.origin, {
    connect: (_target, done) => handOver(socket, done),
    allowH2: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The signal bounds the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const response = await client.request({
      method: hop.method,
      path: url.pathname + url.search,
      headers: { ...hop.headers, 'accept-encoding': 'identity' },
      body: hop.body,
      reset: true,
      signal,
    })
    const headers = keptHeaders(response.headers)
    const limitBytes = bodyBytesMax(response.statusCode, headers)
    return { status: response.statusCode, headers, ...(await readBody(response.body, limitBytes)) }
  } catch (error) {
    throw exchangeError(error)
  } finally {
    socket.destroy()
    await client.destroy()
  }
}

/**
 * Gives undici the one socket. Undici requests another one when that was lost early; there is none.
 *
 * In a later tick: undici does not accept a connection within its own call of `connect`.
 */
function handOver(socket: Socket, done: (...result: [null, Socket] | [Error, null]) => void): void {
  process.nextTick(() => {
    if (socket.destroyed) done(new OutboundError('reset'), null)
    else done(null, socket)
  })
}

async function readBody(
  body: AsyncIterable<Buffer>,
  limitBytes: number,
): Promise<Pick<HttpResponse, 'body' | 'isTruncated'>> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  if (limitBytes > 0) {
    for await (const chunk of body) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) break
    }
  }
  return {
    body: Buffer.concat(chunks).subarray(0, limitBytes),
    isTruncated: limitBytes === 0 || sizeBytes > limitBytes,
  }
}

function keptHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const [value] = [headers[name]].flat()
    // Undici reads bytes as Latin-1; what is not ASCII is UTF-8 in practice.
    if (value !== undefined) kept[name] = Buffer.from(value, 'latin1').toString('utf8')
  }
  return kept
}
