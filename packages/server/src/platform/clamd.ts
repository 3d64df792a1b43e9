import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'

/** The verdict of clamd on some bytes; `failed` when it works, but not on these bytes. */
export type ScanResult =
  | { readonly state: 'clean' }
  | { readonly state: 'infected'; readonly name: string }
  | { readonly state: 'failed'; readonly reason: string }

/** Longest silence of clamd during a scan; its own read timeout is two minutes by default. */
const SCAN_TIMEOUT_MS = 60_000

/** Bytes in one chunk of the stream. */
const CHUNK_BYTES = 64 * 1024

/** Longest reply that is read; a real one is a line. */
const REPLY_BYTES_MAX = 4 * 1024

/** The address of clamd (`host:port` or `unix:PATH`), and the signal that ends a scan early. */
export type ClamdOptions = { readonly address: string; readonly signal: AbortSignal }

/** Scans bytes with clamd; throws when it is unreachable. */
export async function scanWithClamd(clamd: ClamdOptions, bytes: Buffer): Promise<ScanResult> {
  let reply: string
  try {
    reply = await request(clamd, streamCommand(bytes))
  } catch (error) {
    // clamd closes the connection when a stream is longer than it accepts, or crashes on it. If it
    // responds to a ping, the bytes are the reason; otherwise it is unreachable.
    const reply = await request(clamd, ['zPING\0'])
    if (reply !== 'PONG') throw error
    return { state: 'failed', reason: 'clamd closed the connection' }
  }
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

/** The reply to a command; throws when the connection ends without one. */
async function request(clamd: ClamdOptions, command: Iterable<string | Buffer>): Promise<string> {
  const socket = open(clamd)
  try {
    await once(socket, 'connect')
    // `pipe` and not awaited writes: clamd may reply before it has read everything, and an error
    // of the socket is thrown by the reading below.
    Readable.from(command).pipe(socket, { end: false })
    return await readReply(socket)
  } finally {
    socket.destroy()
  }
}

function open({ address, signal }: ClamdOptions): Socket {
  const colon = address.lastIndexOf(':')
  const socket = address.startsWith('unix:')
    ? connect({ path: address.slice('unix:'.length), signal })
    : connect({ port: Number(address.slice(colon + 1)), host: address.slice(0, colon), signal })
  socket.setTimeout(SCAN_TIMEOUT_MS, () => socket.destroy(new Error('clamd does not respond')))
  return socket
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
