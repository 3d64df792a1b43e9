import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'

/** The verdict of clamd on some bytes; `failed` when it works, but not on these bytes. */
export type ScanResult =
  | { readonly state: 'clean' }
  | { readonly state: 'infected'; readonly name: string }
  | { readonly state: 'failed'; readonly reason: string }

/** Longest time of a scan: a fixed part, and one for each MiB. clamd takes 0.1 s for it. */
const SCAN_MS_MAX = { fixed: 20_000, perMiB: 1_000 }

const MiB = 1024 * 1024

/** Bytes in one chunk of the stream. */
const CHUNK_BYTES = 64 * 1024

/** Longest reply that is read; a real one is a line. */
const REPLY_BYTES_MAX = 4 * 1024

/** How clamd is reached. */
export type ClamdOptions = {
  /** `host:port` or `unix:PATH`. */
  readonly address: string
  /** Ends a scan early. */
  readonly signal: AbortSignal
  readonly scanMsMax?: typeof SCAN_MS_MAX
}

/** Scans bytes with clamd; throws when it does not respond in time. */
export async function scanWithClamd(clamd: ClamdOptions, bytes: Buffer): Promise<ScanResult> {
  const reply = await request(clamd, bytes)
  if (reply === 'stream: OK') return { state: 'clean' }
  const [, name] = /^stream: (.+) FOUND$/.exec(reply) ?? []
  if (name !== undefined) return { state: 'infected', name }
  return { state: 'failed', reason: `clamd replied: ${reply}` }
}

function* streamCommand(bytes: Buffer): Generator<string | Buffer> {
  yield 'zINSTREAM\0'
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(chunk.length)
    yield length
    yield chunk
  }
  yield Buffer.alloc(4)
}

/** The reply to a stream of bytes; throws when the connection ends without one. */
async function request(clamd: ClamdOptions, bytes: Buffer): Promise<string> {
  const { fixed, perMiB } = clamd.scanMsMax ?? SCAN_MS_MAX
  const deadline = AbortSignal.timeout(fixed + Math.ceil((perMiB * bytes.length) / MiB))
  const socket = open(clamd.address, AbortSignal.any([clamd.signal, deadline]))
  try {
    await once(socket, 'connect')
    // `pipe` and not awaited writes: clamd may reply before it has read everything, and an error
    // of the socket is thrown by the reading below.
    Readable.from(streamCommand(bytes)).pipe(socket, { end: false })
    return await readReply(socket)
  } catch (error) {
    if (deadline.aborted) throw new Error('clamd did not respond in time')
    throw isReset(error) ? new Error('clamd closed the connection', { cause: error }) : error
  } finally {
    socket.destroy()
  }
}

/** Whether clamd has closed the connection while bytes were sent to it. */
function isReset(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'EPIPE' || code === 'ECONNRESET'
}

function open(address: string, signal: AbortSignal): Socket {
  if (address.startsWith('unix:')) return connect({ path: address.slice('unix:'.length), signal })
  const colon = address.lastIndexOf(':')
  return connect({ port: Number(address.slice(colon + 1)), host: address.slice(0, colon), signal })
}

async function readReply(socket: Socket): Promise<string> {
  let reply = ''
  for await (const chunk of socket) {
    reply += String(chunk)
    const end = reply.indexOf('\0')
    if (end >= 0) return reply.slice(0, end).trim()
    if (reply.length > REPLY_BYTES_MAX) break
  }
  throw new Error('clamd closed the connection without a reply')
}
