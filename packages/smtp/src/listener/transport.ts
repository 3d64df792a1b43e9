import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/** The connection that a session reads from and writes to. */
export type Transport = {
  /** False when the client does not read fast enough: then wait for `onDrain`. */
  write(text: string): boolean
  pauseReading(): void
  /** Has no effect unless reading is paused. */
  resumeReading(): void
  /** Sends the text, then starts TLS; all later input is decrypted. */
  secure(text: string, onSecured: (tlsProtocol: string) => void): void
  /** Sends the text and closes the sending side. Later input is discarded. */
  end(text: string): void
  /** Sends the text and closes both sides; for a client that has nothing more to send. */
  finish(text: string): void
  destroy(): void
}

/** The events of a transport. */
export type TransportListener = {
  onData(chunk: Buffer): void
  onDrain(): void
  onEnd(): void
  /** `tlsError` is the error that ended a TLS connection or its handshake, or null. */
  onClose(tlsError: Error | null): void
}

/** A transport over a TCP socket, with TLS after `secure`. */
export class SocketTransport implements Transport {
  readonly #plain: Socket
  readonly #secureContext: SecureContext | null
  #socket: Socket
  #listener: TransportListener | null = null
  #isPaused = false
  #tlsError: Error | null = null
  #detach: () => void = () => undefined

  constructor(socket: Socket, secureContext: SecureContext | null) {
    this.#plain = socket
    this.#socket = socket
    this.#secureContext = secureContext
    // The cause does not matter: 'close' follows.
    socket.on('error', () => undefined)
  }

  listen(listener: TransportListener): void {
    this.#listener = listener
    this.#plain.once('close', () => listener.onClose(this.#tlsError))
    this.#attach(listener)
  }

  write(data: string | Buffer): boolean {
    return this.#socket.write(data, 'latin1')
  }

  /** Writes in between go out in one system call. */
  cork(write: () => void): void {
    this.#socket.cork()
    write()
    this.#socket.uncork()
  }

  /** Whether the client has not read all output; `onDrain` follows. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain
  }

  pauseReading(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resumeReading(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  secure(text: string, onSecured: (tlsProtocol: string) => void): void {
    const listener = this.#listener
    const secureContext = this.#secureContext
    if (listener === null || secureContext === null) {
      this.destroy()
      return
    }
    this.#detach()
    this.#plain.pause()
    // Not before the 220 is written: from then on the socket belongs to TLS.
    this.#plain.write(text, 'latin1', (error) => {
      if (error || this.#plain.destroyed) return this.destroy()
      const secured = new TLSSocket(this.#plain, { isServer: true, secureContext })
      this.#socket = secured
      secured.on('error', (cause) => {
        this.#tlsError ??= cause
        this.destroy()
      })
      // Only reading shows that a client has left during the handshake.
      const giveUp = () => this.destroy()
      const read = () => undefined
      secured.once('end', giveUp).on('readable', read)
      secured.once('secure', () => {
        secured.off('end', giveUp).off('readable', read)
        this.#attach(listener)
        onSecured(secured.getProtocol() ?? 'TLS')
      })
    })
  }

  end(text = ''): void {
    this.#socket.end(text, 'latin1')
    this.#socket.resume()
  }

  finish(text: string): void {
    this.#socket.write(text, 'latin1')
    this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
    this.#plain.destroy()
  }

  #attach(listener: TransportListener): void {
    const socket = this.#socket
    const onData = (chunk: Buffer) => listener.onData(chunk)
    const onDrain = () => listener.onDrain()
    const onEnd = () => listener.onEnd()
    socket.on('data', onData).on('drain', onDrain).on('end', onEnd)
    this.#detach = () => socket.off('data', onData).off('drain', onDrain).off('end', onEnd)
  }
}
