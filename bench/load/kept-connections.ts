// Connections that carry one request or one mail at a time, with nothing of a client in the way of
// a time that is measured.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection to the API. */
export type KeptHttp = Disposable & {
  /** Resolves with the time of the last byte of the response, which must be a success. */
  get(path: string): Promise<number>
}

/** An SMTP connection. */
export type KeptSmtp = Disposable & {
  /** Sends a small mail; resolves with the time when its last byte was handed to the system. */
  send(to: string): Promise<number>
}

/** Connects to the API. */
export async function keepHttp(service: {
  readonly httpUrl: string
  readonly apiKey: string
}): Promise<KeptHttp> {
  const { hostname, port, host } = new URL(service.httpUrl)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  const read = reader(socket)
  const header = `HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.apiKey}\r\n\r\n`
  return {
    get: async (path) => {
      socket.write(`GET ${path} ${header}`)
      let received = Buffer.alloc(0)
      for (;;) {
        received = Buffer.concat([received, await read()])
        const length = responseLength(received.toString('latin1', 0, 2_000))
        if (length !== null && received.length >= length) return performance.now()
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/**
 * The length of a response with its header, by how it begins; null when more must be read. Throws
 * when it is no success.
 */
export function responseLength(start: string): number | null {
  const headerLength = start.indexOf('\r\n\r\n') + 4
  if (headerLength < 4) return null
  const bodyLength = /\r\ncontent-length: (\d+)\r\n/i.exec(start)?.[1]
  if (!start.startsWith('HTTP/1.1 200 ') || bodyLength === undefined) {
    throw new Error(`The service answered ${start.slice(0, 80)}`)
  }
  return headerLength + Number(bodyLength)
}

/** Connects by SMTP and says EHLO. */
export async function keepSmtp(port: number, host = '127.0.0.1'): Promise<KeptSmtp> {
  const socket = connect({ port, host, noDelay: true })
  const read = reader(socket)
  await read()
  const say = async (text: string) => {
    socket.write(text)
    const reply = String(await read())
    if (!/^[23]/.test(reply)) throw new Error(`The server said ${reply}`)
  }
  await say('EHLO bench.example\r\n')
  return {
    send: async (to) => {
      await say('MAIL FROM:<bench@example.com>\r\n')
      await say(`RCPT TO:<${to}>\r\n`)
      await say('DATA\r\n')
      const sentAt = performance.now()
      await say(`Subject: bench\r\nTo: ${to}\r\n\r\nYour code is 481516.\r\n.\r\n`)
      return sentAt
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** Reads what comes next; rejects when the connection is closed. */
function reader(socket: Socket): () => Promise<Buffer> {
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  return async () => {
    const [chunk] = await once(socket, 'data', { signal: closed.signal })
    return chunk
  }
}
