import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/** The connection under a session. */
export type Wire = {
  /** False when the client lags behind: `onDrain` tells when it has caught up. */
  write(text: string): boolean
  pauseReading(): void
  /** Does nothing while reading is not paused. */
  resumeReading(): void
  /** Sends the text, then begins TLS; input from then on is what came encrypted. */
  secure(text: string, onSecured: (tlsProtocol: string) => void): void
  /** Sends the last text and closes our side. What still comes is read and thrown away. */
  end(text: string): void
  destroy(): void
}

/** What a wire tells its session. */
export type WireListener = {
  onData(chunk: Buffer): void
  onDrain(): void
  onEnd(): void
  onClose(): void
}

/** A wire over a socket, with TLS on top once that is asked for. */
export class SocketWire implements Wire {
  readonly #plain: Socket
  readonly #secureContext: SecureContext | null
  #socket: Socket
  #listener: WireListener | null = null
  #isPaused = false
  #detach: () => void = () => undefined

  constructor(socket: Socket, secureContext: SecureContext | null) {
    this.#plain = socket
    this.#socket = socket
    this.#secureContext = secureContext
    // What went wrong does not matter: 'close' follows.
    socket.on('error', () => undefined)
  }

  listen(listener: WireListener): void {
    this.#listener = listener
    this.#plain.once('close', () => listener.onClose())
    this.#attach(listener)
  }

  write(text: string): boolean {
    return this.#socket.write(text, 'latin1')
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
    // Not before the 220 is on its way: from then on the socket belongs to TLS.
    this.#plain.write(text, 'latin1', (error) => {
      if (error || this.#plain.destroyed) return this.destroy()
      const secured = new TLSSocket(this.#plain, { isServer: true, secureContext })
      this.#socket = secured
      secured.on('error', () => this.destroy())
      secured.once('secure', () => {
        this.#attach(listener)
        onSecured(secured.getProtocol() ?? 'TLS')
      })
    })
  }

  end(text: string): void {
    this.#socket.end(text, 'latin1')
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
    this.#plain.destroy()
  }

  #attach(listener: WireListener): void {
    const socket = this.#socket
    const onData = (chunk: Buffer) => listener.onData(chunk)
    const onDrain = () => listener.onDrain()
    const onEnd = () => listener.onEnd()
    socket.on('data', onData).on('drain', onDrain).on('end', onEnd)
    this.#detach = () => socket.off('data', onData).off('drain', onDrain).off('end', onEnd)
  }
}
