// Accepts the clients of a protocol, limits their number, checks deadlines once a second, stops.
// The bytes of a client go to its session.

import { constants } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { readProxyHeader } from '../protocol/proxy-header.ts'
import { countedAddress, isLoopback, plainAddress } from './ip-address.ts'
import { SharedUsage } from './shared-usage.ts'
import { SocketTransport, type TransportListener } from './transport.ts'

/** The session of one client. */
export type ClientSession = TransportListener & {
  /** Since when the client has made no progress; null while it waits for us. */
  readonly idleSinceMs: number | null
  /** Sends the greeting. */
  start(): void
  /** Checks the deadlines. */
  tick(nowMs: number): void
  /** Ends the session for another client, without waiting for this one to close. */
  evict(): void
  /** Ends the session once what the client is sending, if anything, is received. */
  stop(): void
  /** Ends the session at once. */
  abort(): void
}

/** The facts of a client that a listener has. */
export type Client = {
  readonly remoteAddress: string
  /** Whether it may have any number of connections, and guess any number of times. */
  readonly isExempt: boolean
}

/** How many connections there may be, and for how long. */
export type ListenerLimits = {
  readonly connectionsPerAddressMax: number
  readonly connectionsMax: number
  /** A client needs less to make progress. */
  readonly evictableAfterMs: number
  /** Time for the client to close the connection after the last reply. */
  readonly lingerMs: number
}

/** The settings that a server of any protocol has. */
export type ListenOptions = {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Several threads may then listen on the same port (Linux). */
  readonly reusePort?: boolean
  /** PEM texts; null: TLS is not offered. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly sweepIntervalMs?: number
  /** Addresses without limits on connections and wrong guesses; loopback by default. */
  readonly isExempt?: (address: string) => boolean
  /**
   * Whether connections from this address come from a proxy: they must begin with a header of the
   * PROXY protocol, and count as its client's. Without it no connection does.
   */
  readonly isProxy?: (address: string) => boolean
  /** Called for every client that connects. */
  readonly onConnection?: () => void
  /** Called with errors of the server itself. */
  readonly onError: (error: unknown) => void
}

/** The options of a protocol. */
type ProtocolOptions = {
  readonly limits: ListenerLimits
  /** The reply to a client above the limit. */
  readonly refusal: string
  /** Shared by the listeners of several threads; by default one of its own. */
  readonly usage?: SharedUsage
  openSession(transport: SocketTransport, client: Client): ClientSession
}

/** A running server. */
export type Listener = {
  readonly port: number
  /** Connected clients. */
  connectionCount(): number
  /** Checks all deadlines now. The server does so itself once a second. */
  sweep(): void
  /**
   * Stops listening and all sessions, aborts sessions that are still open after `graceMs`, and
   * resolves when all sockets are closed: at most two seconds after that.
   */
  stop(graceMs: number): Promise<void>
}

/** Refused connections that may linger; the oldest is closed for another. */
const REFUSED_CONNECTIONS_MAX = 200

/** A proxy sends its header at once. */
const PROXY_HEADER_MS = 5000

const SWEEP_INTERVAL_MS = 1000

/** Time for the last reply of a stopping server to reach its client. */
const LAST_REPLY_MS = 1000

const NEVER = Number.POSITIVE_INFINITY

/** Starts listening. */
export async function startListener(options: ListenOptions & ProtocolOptions): Promise<Listener> {
  const listener = new SocketListener(options)
  await listener.listen()
  return listener
}

/** One IPv4 address, or the first 48 bits of IPv6 addresses, which are assigned to one customer. */
type Site = { connectionCount: number }

type Connection = {
  readonly socket: Socket
  readonly session: ClientSession
  readonly addressKey: string
  readonly siteKey: string
  readonly site: Site
}

class SocketListener implements Listener {
  readonly #options: ListenOptions & ProtocolOptions
  readonly #limits: ListenerLimits
  readonly #secureContext: SecureContext | null
  readonly #server: Server
  readonly #connections = new Map<Socket, Connection>()
  readonly #sites = new Map<string, Site>()
  readonly #refused: WaitingSockets
  /** Connections of proxies that have not sent their header yet. */
  readonly #unnamed: WaitingSockets
  readonly #usage: SharedUsage
  #sweeper: NodeJS.Timeout | null = null
  #stopAtMs = NEVER

  constructor(options: ListenOptions & ProtocolOptions) {
    const { limits } = options
    this.#options = options
    this.#limits = limits
    this.#secureContext =
      options.tls === null
        ? null
        : createSecureContext({ ...options.tls, secureOptions: constants.SSL_OP_NO_RENEGOTIATION })
    this.#usage = options.usage ?? new SharedUsage()
    this.#refused = new WaitingSockets({ max: REFUSED_CONNECTIONS_MAX, waitMs: limits.lingerMs })
    this.#unnamed = new WaitingSockets({ max: limits.connectionsMax, waitMs: PROXY_HEADER_MS })
    // Half-open: a client may close its sending side and still read the replies.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    )
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : this.#options.port
  }

  connectionCount(): number {
    return this.#connections.size
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
    for (const [socket, { session }] of this.#connections) {
      if (nowMs >= this.#stopAtMs + LAST_REPLY_MS) socket.destroy()
      else if (nowMs >= this.#stopAtMs) session.abort()
      else session.tick(nowMs)
    }
    this.#refused.closeLate(nowMs)
    this.#unnamed.closeLate(nowMs)
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopAtMs = this.#options.now() + graceMs
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const { session } of this.#connections.values()) session.stop()
    this.#refused.closeAll()
    this.#unnamed.closeAll()
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
    this.#unnamed.add(socket, this.#options.now())
    let received = Buffer.alloc(0)
    const onError = () => undefined
    const onEnd = () => socket.destroy()
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const header = readProxyHeader(received)
      if (header.kind === 'malformed') socket.destroy()
      if (header.kind !== 'complete') return
      socket.off('data', onData).off('error', onError).off('end', onEnd)
      this.#unnamed.delete(socket)
      socket.pause()
      // An empty chunk would mean the end of input.
      const rest = received.subarray(header.lengthBytes)
      if (rest.length > 0) socket.unshift(rest)
      this.#admit(socket, header.clientAddress ?? proxyAddress)
      socket.resume()
    }
    socket.on('data', onData).on('error', onError).on('end', onEnd)
  }

  #admit(socket: Socket, remoteAddress: string): void {
    const isExempt = (this.#options.isExempt ?? isLoopback)(remoteAddress)
    const addressKey = countedAddress(remoteAddress)
    const siteKey = countedAddress(remoteAddress, { ipv6Bits: 48 })
    const site = this.#sites.get(siteKey) ?? { connectionCount: 0 }
    const isOverLimit =
      !isExempt && this.#usage.connectionsFrom(addressKey) >= this.#limits.connectionsPerAddressMax
    if (isOverLimit || !this.#makeRoom(site)) {
      this.#refuse(socket)
      return
    }
    const transport = new SocketTransport(socket, this.#secureContext)
    const session = this.#options.openSession(transport, { remoteAddress, isExempt })
    this.#count({ socket, session, addressKey, siteKey, site })
    socket.once('close', () => this.#discount(socket))
    transport.listen(session)
    session.start()
  }

  #count(connection: Connection): void {
    this.#connections.set(connection.socket, connection)
    this.#usage.addConnection(connection.addressKey, 1)
    this.#sites.set(connection.siteKey, connection.site)
    connection.site.connectionCount += 1
  }

  /** Has no effect when the connection was evicted. */
  #discount(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    this.#usage.addConnection(connection.addressKey, -1)
    connection.site.connectionCount -= 1
    if (connection.site.connectionCount === 0) this.#sites.delete(connection.siteKey)
  }

  /** Whether one more client of a site is within the limit. */
  #makeRoom(site: Site): boolean {
    if (this.#usage.connections < this.#limits.connectionsMax) return true
    const evictable = this.#findEvictable(site)
    if (evictable === null) this.#usage.requestEviction()
    else this.#evict(evictable)
    return evictable !== null
  }

  /**
   * The connections to be closed may all be at the listeners of other threads, which request it
   * here.
   */
  #makeRoomForOthers(): void {
    if (this.#usage.wanted === 0) return
    if (this.#usage.connections < this.#limits.connectionsMax) {
      this.#usage.withdrawEvictions()
      return
    }
    for (;;) {
      const evictable = this.#findEvictable(null)
      if (evictable === null || !this.#usage.acceptEviction()) return
      this.#evict(evictable)
    }
  }

  #evict({ socket, session }: Connection): void {
    session.evict()
    this.#discount(socket)
  }

  /**
   * The connection to close for a new client, whose site is null if it is unknown. Otherwise
   * clients that wait, or connect repeatedly, could keep all others out.
   *
   * A site with at least two more connections than the client's loses one at once. A site with as
   * many or one more loses one that is idle, a site with fewer none. Of several, the site with the
   * most comes first, and of its connections the one without progress for the longest time.
   */
  #findEvictable(newSite: Site | null): Connection | null {
    const idleBeforeMs = this.#options.now() - this.#limits.evictableAfterMs
    let found: Connection | null = null
    for (const connection of this.#connections.values()) {
      const sinceMs = idleSinceMs(connection)
      const more = connection.site.connectionCount - (newSite ?? connection.site).connectionCount
      if (sinceMs === NEVER || more < 0 || (more < 2 && sinceMs > idleBeforeMs)) continue
      if (found === null || givesBefore(connection, found)) found = connection
    }
    return found
  }

  #refuse(socket: Socket): void {
    this.#refused.add(socket, this.#options.now())
    socket.on('error', () => undefined)
    socket.end(this.#options.refusal, 'latin1')
    socket.resume()
  }
}

function idleSinceMs({ session }: Connection): number {
  return session.idleSinceMs ?? NEVER
}

function givesBefore(one: Connection, other: Connection): boolean {
  const more = one.site.connectionCount - other.site.connectionCount
  return more > 0 || (more === 0 && idleSinceMs(one) < idleSinceMs(other))
}

/** Sockets without a session: at most `max`, each for at most `waitMs`. */
class WaitingSockets {
  readonly #bounds: { readonly max: number; readonly waitMs: number }
  readonly #sinceMs = new Map<Socket, number>()

  constructor(bounds: { readonly max: number; readonly waitMs: number }) {
    this.#bounds = bounds
  }

  /** Above the limit, the one that has waited for the longest time is closed. */
  add(socket: Socket, nowMs: number): void {
    const [oldest] = this.#sinceMs.keys()
    if (oldest !== undefined && this.#sinceMs.size >= this.#bounds.max) this.#close(oldest)
    this.#sinceMs.set(socket, nowMs)
    socket.once('close', () => this.#sinceMs.delete(socket))
  }

  delete(socket: Socket): void {
    this.#sinceMs.delete(socket)
  }

  closeLate(nowMs: number): void {
    for (const [socket, sinceMs] of this.#sinceMs) {
      if (nowMs - sinceMs >= this.#bounds.waitMs) this.#close(socket)
    }
  }

  closeAll(): void {
    for (const socket of this.#sinceMs.keys()) this.#close(socket)
  }

  #close(socket: Socket): void {
    socket.destroy()
    this.#sinceMs.delete(socket)
  }
}
