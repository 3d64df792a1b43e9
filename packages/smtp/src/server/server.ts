// The listener: accepts clients, limits their number, checks deadlines once a second, stops.

import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { readProxyHeader } from '../protocol/proxy-header.ts'
import { REPLIES } from '../protocol/replies.ts'
import { type MailHandler, type Recipient, safeHandler } from './handler.ts'
import { countedAddress, isLoopback, plainAddress } from './ip-address.ts'
import { SMTP_LIMITS, type SmtpLimits } from './limits.ts'
import { Session, type SessionOptions } from './session.ts'
import { SharedUsage } from './shared-usage.ts'
import { SocketTransport } from './transport.ts'

/** How a server is set up. */
export type SmtpServerOptions<R extends Recipient> = {
  readonly handler: MailHandler<R>
  /** The name in the greeting and in EHLO. */
  readonly hostname: string
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Several threads may then listen on the same port (Linux). */
  readonly reusePort?: boolean
  /** PEM texts; null: STARTTLS is not offered. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly limits?: Partial<SmtpLimits>
  /**
   * From `createUsageMemory`, for servers in several threads: the limits on connections and memory
   * then hold for all of them together.
   */
  readonly usageMemory?: SharedArrayBuffer | undefined
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly sweepIntervalMs?: number
  /** Addresses without limits on connections and unknown recipients; loopback by default. */
  readonly isExempt?: (address: string) => boolean
  /**
   * Whether connections from this address come from a proxy: they must begin with a header of the
   * PROXY protocol, and count as its client's. Without it no connection does.
   */
  readonly isProxy?: (address: string) => boolean
  /** Called for every client that connects. */
  readonly onConnection?: () => void
  /** Called with what a handler throws, and with errors of the server itself. */
  readonly onError: (error: unknown) => void
}

/** A running server. */
export type SmtpServer = {
  readonly port: number
  /** Connected clients. */
  connectionCount(): number
  /** Checks all deadlines now. The server does so itself once a second. */
  sweep(): void
  /**
   * Stops listening, sends 421 to every client that is not sending a mail, lets the others finish
   * within `graceMs`, and resolves when all sockets are closed: at most two seconds after that.
   */
  stop(graceMs: number): Promise<void>
}

/** Connections above the limit that get a 421; further ones are closed without a reply. */
const REFUSED_CONNECTIONS_MAX = 200

const SWEEP_INTERVAL_MS = 1000

/** Time for the last 421 of a stopping server to reach its client. */
const LAST_REPLY_MS = 1000

/** Starts listening. */
export async function startSmtpServer<R extends Recipient>(
  options: SmtpServerOptions<R>,
): Promise<SmtpServer> {
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener<R extends Recipient> implements SmtpServer {
  readonly #options: SmtpServerOptions<R>
  readonly #limits: SmtpLimits
  readonly #session: Omit<SessionOptions<R>, 'remoteAddress' | 'isExempt'>
  readonly #secureContext: ReturnType<typeof createSecureContext> | null
  readonly #isExempt: (address: string) => boolean
  readonly #server: Server
  readonly #sessions = new Map<Socket, Session<R>>()
  readonly #refused = new Map<Socket, number>()
  /** Connections of proxies that have not sent their header yet, and since when. */
  readonly #unnamed = new Map<Socket, number>()
  readonly #usage: SharedUsage
  #sweeper: NodeJS.Timeout | null = null
  #stopAtMs = Number.POSITIVE_INFINITY

  constructor(options: SmtpServerOptions<R>) {
    const limits = { ...SMTP_LIMITS, ...options.limits }
    this.#options = options
    this.#limits = limits
    this.#secureContext = options.tls === null ? null : createSecureContext(options.tls)
    this.#isExempt = options.isExempt ?? isLoopback
    this.#usage = new SharedUsage(options.usageMemory)
    this.#session = {
      handler: safeHandler(options.handler, options.onError),
      protocol: {
        hostname: options.hostname,
        offersTls: options.tls !== null,
        offersAuth: options.handler.authenticate !== undefined,
        asksSender: options.handler.admitSender !== undefined,
        messageBytesMax: limits.messageBytesMax,
        recipientsMax: limits.recipientsMax,
        lineBytesMax: limits.lineBytesMax,
        errorsMax: limits.errorsMax,
      },
      limits,
      inFlight: this.#usage,
      now: options.now,
      onError: options.onError,
    }
    // Half-open: a client may close its sending side and still read the replies.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    )
    this.#server.maxConnections = limits.connectionsMax + REFUSED_CONNECTIONS_MAX
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : this.#options.port
  }

  connectionCount(): number {
    return this.#sessions.size
  }

  listen(): Promise<void> {
    const { host, port, reusePort = false, sweepIntervalMs = SWEEP_INTERVAL_MS } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject)
    this.#server.listen({ host, port, reusePort, backlog: this.#limits.connectionsMax }, () => {
      this.#server.off('error', reject)
      this.#server.on('error', this.#options.onError)
      this.#sweeper = setInterval(() => this.sweep(), sweepIntervalMs)
      resolve()
    })
    return promise
  }

  sweep(): void {
    const nowMs = this.#options.now()
    this.#makeRoomForOthers()
    for (const [socket, session] of this.#sessions) {
      if (nowMs >= this.#stopAtMs + LAST_REPLY_MS) socket.destroy()
      else if (nowMs >= this.#stopAtMs) session.abort()
      else session.tick(nowMs)
    }
    for (const [socket, sinceMs] of this.#refused) {
      if (nowMs - sinceMs >= this.#limits.lingerMs) socket.destroy()
    }
    for (const [socket, sinceMs] of this.#unnamed) {
      if (nowMs - sinceMs >= this.#limits.proxyHeaderMs) socket.destroy()
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopAtMs = this.#options.now() + graceMs
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const session of this.#sessions.values()) session.stop()
    for (const socket of [...this.#refused.keys(), ...this.#unnamed.keys()]) socket.destroy()
    await promise
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
  }

  #accept(socket: Socket): void {
    this.#options.onConnection?.()
    const { remoteAddress } = socket
    // Undefined when the client has already disconnected.
    if (remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const address = plainAddress(remoteAddress)
    if (this.#options.isProxy?.(address) === true) this.#awaitHeader(socket, address)
    else this.#admit(socket, address)
  }

  /** Reads the address of a proxy's client. A connection with another beginning is closed. */
  #awaitHeader(socket: Socket, proxyAddress: string): void {
    this.#unnamed.set(socket, this.#options.now())
    let received = Buffer.alloc(0)
    const onError = () => undefined
    const onClose = () => this.#unnamed.delete(socket)
    const onEnd = () => socket.destroy()
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const header = readProxyHeader(received)
      if (header.kind === 'malformed') socket.destroy()
      if (header.kind !== 'complete') return
      socket.off('data', onData).off('error', onError).off('close', onClose).off('end', onEnd)
      this.#unnamed.delete(socket)
      socket.pause()
      // An empty chunk would mean the end of input.
      const rest = received.subarray(header.lengthBytes)
      if (rest.length > 0) socket.unshift(rest)
      this.#admit(socket, header.clientAddress ?? proxyAddress)
      socket.resume()
    }
    socket.on('data', onData).on('error', onError).on('close', onClose).on('end', onEnd)
  }

  #admit(socket: Socket, address: string): void {
    const isExempt = this.#isExempt(address)
    const key = countedAddress(address)
    const isOverLimit =
      !isExempt && this.#usage.connectionsFrom(key) >= this.#limits.connectionsPerAddressMax
    if (isOverLimit || !this.#makeRoom()) {
      this.#refuse(socket)
      return
    }
    this.#usage.addConnection(key, 1)
    const transport = new SocketTransport(socket, this.#secureContext)
    const session = new Session(transport, { ...this.#session, remoteAddress: address, isExempt })
    this.#sessions.set(socket, session)
    socket.once('close', () => {
      this.#sessions.delete(socket)
      this.#usage.addConnection(key, -1)
    })
    transport.listen(session)
    session.start()
  }

  /**
   * Whether there is room for one more client. Otherwise clients that connect and wait could keep
   * everybody else out until their deadlines.
   */
  #makeRoom(): boolean {
    if (this.#usage.connections < this.#limits.connectionsMax) return true
    const longest = this.#longestIdle()
    if (longest === null) this.#usage.askForRoom()
    longest?.evict()
    return longest !== null
  }

  /** The idle connections may all be at the servers of other threads, which ask for room here. */
  #makeRoomForOthers(): void {
    if (this.#usage.wanted === 0) return
    if (this.#usage.connections < this.#limits.connectionsMax) {
      this.#usage.forgetWanted()
      return
    }
    for (;;) {
      const longest = this.#longestIdle()
      if (longest === null || !this.#usage.takeWanted()) return
      longest.evict()
    }
  }

  /** The session without progress for the longest time; null when none may be closed yet. */
  #longestIdle(): Session<R> | null {
    const idleSince = (session: Session<R> | null) =>
      session?.idleSinceMs ?? Number.POSITIVE_INFINITY
    let longest: Session<R> | null = null
    for (const session of this.#sessions.values()) {
      if (idleSince(session) < idleSince(longest)) longest = session
    }
    const isEvictable = this.#options.now() - idleSince(longest) >= this.#limits.evictableAfterMs
    return isEvictable ? longest : null
  }

  #refuse(socket: Socket): void {
    this.#refused.set(socket, this.#options.now())
    socket.once('close', () => this.#refused.delete(socket))
    socket.on('error', () => undefined)
    socket.end(`${REPLIES.tooManyConnections}\r\n`)
    socket.resume()
  }
}
