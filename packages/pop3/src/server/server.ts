// The listener: accepts clients, limits their number, checks deadlines once a second, stops.

import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { countedAddress, isLoopback, plainAddress } from '@mayfly/smtp/ip-address'
import { POP3_LIMITS, type Pop3Limits } from './limits.ts'
import { ReadPlaces } from './read-places.ts'
import { Session, type SessionOptions } from './session.ts'

/** How a server is set up. */
export type Pop3ServerOptions = Pick<SessionOptions, 'open' | 'now' | 'onError'> & {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** PEM texts; null: STLS is not offered. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly limits?: Partial<Pop3Limits>
  readonly sweepIntervalMs?: number
  /** Addresses without limits on connections and wrong passwords; loopback by default. */
  readonly isExempt?: (address: string) => boolean
}

/** A running server. */
export type Pop3Server = {
  readonly port: number
  /** Stops listening and ends all sessions. */
  stop(): Promise<void>
}

const SWEEP_INTERVAL_MS = 1000

/** Starts listening. */
export async function startPop3Server(options: Pop3ServerOptions): Promise<Pop3Server> {
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener implements Pop3Server {
  readonly #options: Pop3ServerOptions
  readonly #limits: Pop3Limits
  readonly #secureContext: SecureContext | null
  readonly #server: Server
  readonly #sessions = new Map<Socket, Session>()
  readonly #connections = new Map<string, number>()
  readonly #readPlaces: ReadPlaces
  #sweeper: NodeJS.Timeout | null = null

  constructor(options: Pop3ServerOptions) {
    this.#options = options
    this.#limits = { ...POP3_LIMITS, ...options.limits }
    this.#readPlaces = new ReadPlaces(this.#limits)
    this.#secureContext = options.tls === null ? null : createSecureContext(options.tls)
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket))
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : this.#options.port
  }

  listen(): Promise<void> {
    const { host, port, sweepIntervalMs = SWEEP_INTERVAL_MS } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject)
    this.#server.listen({ host, port }, () => {
      this.#server.off('error', reject)
      this.#server.on('error', this.#options.onError)
      this.#sweeper = setInterval(() => this.#sweep(), sweepIntervalMs)
      resolve()
    })
    return promise
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const session of this.#sessions.values()) {
      session.stop()
      session.destroy()
    }
    await promise
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
  }

  #sweep(): void {
    const nowMs = this.#options.now()
    for (const session of this.#sessions.values()) session.tick(nowMs)
  }

  #accept(socket: Socket): void {
    const { remoteAddress } = socket
    // Undefined when the client has already disconnected.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const address = plainAddress(remoteAddress)
    const isExempt = (this.#options.isExempt ?? isLoopback)(address)
    const key = countedAddress(address)
    const count = this.#connections.get(key) ?? 0
    const isOverLimit = !isExempt && count >= this.#limits.connectionsPerAddressMax
    if (isOverLimit || !this.#makeRoom()) {
      socket.on('error', () => undefined)
      socket.end('-ERR [SYS/TEMP] too many connections\r\n')
      socket.destroySoon()
      return
    }
    this.#connections.set(key, count + 1)
    const session = new Session(socket, {
      ...this.#options,
      limits: this.#limits,
      secureContext: this.#secureContext,
      remoteAddress: address,
      isExempt,
      requestReadPlace: (owner) => this.#readPlaces.request(owner),
    })
    this.#sessions.set(socket, session)
    socket.once('close', () => {
      this.#sessions.delete(socket)
      const left = (this.#connections.get(key) ?? 1) - 1
      if (left === 0) this.#connections.delete(key)
      else this.#connections.set(key, left)
    })
    session.start()
  }

  /**
   * Whether there is room for one more client. Otherwise clients that log in and wait could keep
   * everybody else out until their deadlines.
   */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#limits.connectionsMax) return true
    const longest = this.#longestIdle()
    longest?.evict()
    return longest !== null
  }

  /** The session without progress for the longest time; null when none may be closed yet. */
  #longestIdle(): Session | null {
    const idleSince = (session: Session | null) => session?.idleSinceMs ?? Number.POSITIVE_INFINITY
    let longest: Session | null = null
    for (const session of this.#sessions.values()) {
      if (idleSince(session) < idleSince(longest)) longest = session
    }
    const isEvictable = this.#options.now() - idleSince(longest) >= this.#limits.evictableAfterMs
    return isEvictable ? longest : null
  }
}
