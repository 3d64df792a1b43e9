import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What the scanner found: null, or the name of what is in the file. */
export type ScanResult = { readonly found: string | null }

/** A scan must be over by then; clamd's own default for reading is two minutes. */
const SCAN_TIMEOUT_MS = 60_000

/** Bytes sent in one piece of the stream. */
const CHUNK_BYTES = 64 * 1024

/** Longest answer that is read; a real one is a line. */
const ANSWER_BYTES_MAX = 4 * 1024

/** Has clamd at `host:port` or `unix:PATH` look through bytes; throws when it cannot be asked. */
export async function scanWithClamd(where: string, bytes: Buffer): Promise<ScanResult> {
  const socket = open(where)
  try {
    await once(socket, 'connect')
    const answer = readAnswer(socket)
    socket.write('zINSTREAM\0')
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(chunk.length)
      socket.write(length)
      if (!socket.write(chunk)) await once(socket, 'drain')
    }
    socket.write(Buffer.alloc(4))
    return readResult(await answer)
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
  socket.setTimeout(SCAN_TIMEOUT_MS, () => socket.destroy(new Error('clamd does not answer')))
  return socket
}

async function readAnswer(socket: Socket): Promise<string> {
  let answer = ''
  for await (const chunk of socket) {
    answer += String(chunk)
    if (answer.includes('\0') || answer.length > ANSWER_BYTES_MAX) break
  }
  return (answer.split('\0', 1)[0] ?? '').trim()
}

/** `stream: OK`, `stream: NAME FOUND`, or an error of clamd's. */
function readResult(answer: string): ScanResult {
  if (answer === 'stream: OK') return { found: null }
  const [, name] = /^stream: (.+) FOUND$/.exec(answer) ?? []
  if (name === undefined) throw new Error(`clamd answered: ${answer || 'nothing'}`)
  return { found: name }
}
