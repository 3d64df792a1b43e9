import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The name of the malware found, or null. */
export type ScanResult = { readonly found: string | null }

/** Longest silence of clamd during a scan; its own read timeout is two minutes by default. */
const SCAN_TIMEOUT_MS = 60_000

/** Bytes in one chunk of the stream. */
const CHUNK_BYTES = 64 * 1024

/** Longest reply that is read; a real one is a line. */
const REPLY_BYTES_MAX = 4 * 1024

/** Scans bytes with clamd at `host:port` or `unix:PATH`; throws when it is unreachable. */
export async function scanWithClamd(where: string, bytes: Buffer): Promise<ScanResult> {
  const socket = open(where)
  try {
    await once(socket, 'connect')
    const reply = readReply(socket)
    socket.write('zINSTREAM\0')
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(chunk.length)
      socket.write(length)
      if (!socket.write(chunk)) await once(socket, 'drain')
    }
    socket.write(Buffer.alloc(4))
    return readResult(await reply)
  } finally {
    socket.destroy()
  }
}

function open(where: string): Socket {
  const socket = where.startsWith('unix:')
    ? connect(where.slice('unix:'.length))
    : connect(
        Number(where.slice(where.lastIndexOf(':') + 1)),
        where.slice(0, where.lastIndexOf(':')),
      )
  socket.setTimeout(SCAN_TIMEOUT_MS, () => socket.destroy(new Error('clamd does not respond')))
  return socket
}

async function readReply(socket: Socket): Promise<string> {
  let reply = ''
  for await (const chunk of socket) {
    reply += String(chunk)
    if (reply.includes('\0') || reply.length > REPLY_BYTES_MAX) break
  }
  return (reply.split('\0', 1)[0] ?? '').trim()
}

/** `stream: OK`, `stream: NAME FOUND`, or an error message. */
function readResult(reply: string): ScanResult {
  if (reply === 'stream: OK') return { found: null }
  const [, name] = /^stream: (.+) FOUND$/.exec(reply) ?? []
  if (name === undefined) throw new Error(`clamd replied: ${reply || 'nothing'}`)
  return { found: name }
}
