import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection over which a test sends any bytes. */
export type RawSocket = Disposable & {
  readonly socket: Socket
  send(bytes: string | Buffer): void
  /** All that was received, once it matches; throws when the connection ends before. */
  received(pattern: RegExp): Promise<string>
  /** All that was received when the server has closed. */
  ended(): Promise<string>
}

/** Opens a connection to a port of this machine. */
export async function openSocket(port: number): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let isEnded = false
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isEnded = true
      resolve()
    })
  })
  await once(socket, 'connect')
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    received: async (pattern) => {
      while (!pattern.test(text)) {
        if (isEnded) throw new Error(`closed after: ${text}`)
        await Promise.race([once(socket, 'data'), closed])
      }
      return text
    },
    ended: async () => {
      await closed
      return text
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
