import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One connection that carries one request at a time, with nothing of a client in the way. */
export class KeptHttp {
  readonly #socket: Socket
  readonly #host: string
  readonly #key: string

  constructor(socket: Socket, host: string, key: string) {
    this.#socket = socket
    this.#host = host
    this.#key = key
  }

  /** Connects. */
  static async open(baseUrl: string, key: string): Promise<KeptHttp> {
    const { hostname, port, host } = new URL(baseUrl)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new KeptHttp(socket, host, key)
  }

  /** Resolves at the last byte of the answer. */
  get(path: string): Promise<{ endedAt: number; status: number }> {
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAuthorization: Bearer ${this.#key}\r\n\r\n`,
    )
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0)
      const onData = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const head = received.toString('latin1', 0, headEnd)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
        if (received.length < headEnd + 4 + length) return
        this.#socket.off('data', onData).off('close', onClose)
        resolve({ endedAt: performance.now(), status: Number(head.slice(9, 12)) })
      }
      const onClose = () => reject(new Error('the connection was closed'))
      this.#socket.on('data', onData).once('close', onClose)
    })
  }

  /** Closes the connection. */
  close(): void {
    this.#socket.destroy()
  }
}
