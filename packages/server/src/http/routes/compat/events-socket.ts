// Mailpit's WebSocket at /api/events: the events of the shown catch-all inboxes, live.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { MAILPIT_VERSION } from './mailpit.ts'
import { type Access, admit } from './request.ts'

/** Most unread bytes of a client before it is disconnected. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** Longest message of a client; none is expected. */
const PAYLOAD_BYTES_MAX = 1024

/** Interval of pings, which keep proxies from closing an idle connection. */
const PING_MS = 30_000

/** Shortest time between two events with the numbers of messages. */
const STATS_MS = 250

/** How long a client has to close a connection whose upgrade was refused. */
const REFUSED_MS = 1_000

/** The fields of our events that are read here. */
type EventData = {
  readonly inboxId?: string
  readonly message?: { readonly id: string; readonly read: boolean }
  readonly messageIds?: readonly string[]
}

type AccountEvents = Awaited<ReturnType<App['events']['stream']>>
type Change = Exclude<Awaited<ReturnType<AccountEvents['next']>>['value'], void>['change']

/** Whether a request asks for the socket. A request for any other upgrade is an ordinary one. */
export function isForEventsSocket({ url, headers }: IncomingMessage): boolean {
  return url?.split('?', 1)[0] === '/api/events' && headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Serves the socket; `isOwn` refuses pages of other sites. The server must pass on only upgrades
 * for which `isForEventsSocket` is true.
 */
export function serveEventsSocket(
  http: FastifyInstance,
  app: App,
  isOwn: (request: IncomingMessage) => boolean,
): void {
  let loading: Promise<WebSocketServer> | null = null
  const load = () => {
    // Loaded with the first client.
    loading ??= import('ws').then(
      (ws) => new ws.WebSocketServer({ noServer: true, maxPayload: PAYLOAD_BYTES_MAX }),
    )
    return loading
  }
  http.server.on('upgrade', (request, socket, head) => {
    void open(app, { load, isOwn, request, socket, head })
  })
  http.addHook('preClose', async () => {
    for (const client of (await loading)?.clients ?? []) client.terminate()
  })
}

async function open(
  app: App,
  upgrade: {
    readonly load: () => Promise<WebSocketServer>
    readonly isOwn: (request: IncomingMessage) => boolean
    readonly request: IncomingMessage
    readonly socket: Duplex
    readonly head: Buffer
  },
): Promise<void> {
  const { request, socket, head } = upgrade
  socket.on('error', () => socket.destroy())
  if (!upgrade.isOwn(request)) return refuse(socket, '403 Forbidden')
  try {
    const access = await admit(app, request.headers.authorization)
    const sockets = await upgrade.load()
    const gone = new AbortController()
    // Before the client learns that it is connected: it must not miss events after that.
    const events = await app.events.stream(access.caller, {
      inboxId: null,
      lastEventId: null,
      gone: gone.signal,
    })
    let sender: EventSender | null = null
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('close', () => gone.abort())
      client.on('error', () => client.terminate())
      sender = new EventSender(app, access, client)
      void sender.pump(events)
    })
    if (sender !== null) return
    // The handshake was malformed, and has been refused. At its end the stream gives its slot back.
    gone.abort()
    while ((await events.next()).done !== true);
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : ''
    if (code === 'wrong_cell') return refuse(socket, '421 Misdirected Request')
    refuse(socket, /api_key/.test(code) ? '401 Unauthorized' : '503 Unavailable')
  }
}

/** Refuses an upgrade. The time limits of HTTP do not apply to its connection any more. */
function refuse(socket: Duplex, status: string): void {
  const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
  socket.once('close', () => clearTimeout(timer))
  // Without reading, the end of the client's data would not be noticed.
  socket.resume()
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Sends the events of one client. */
class EventSender {
  readonly #app: App
  readonly #access: Access
  readonly #client: WebSocket
  readonly #ping: NodeJS.Timeout
  #stats: NodeJS.Timeout | null = null

  constructor(app: App, access: Access, client: WebSocket) {
    this.#app = app
    this.#access = access
    this.#client = client
    this.#ping = setInterval(() => client.ping(), PING_MS)
    client.on('close', () => this.#stop())
  }

  /** Sends events until they end or the client is gone. */
  async pump(events: AccountEvents): Promise<void> {
    try {
      for await (const { event, json, change } of events) {
        if (this.#client.readyState !== this.#client.OPEN) break
        // Our own event, as features/events writes it.
        await this.#pass(event, JSON.parse(json) as EventData, change)
        if (this.#client.bufferedAmount > UNREAD_BYTES_MAX) break
      }
    } catch {
      // The key was revoked, or the service stops: the client connects again and gets the reason.
    }
    this.#client.terminate()
  }

  async #pass(event: string, data: EventData, change: Change): Promise<void> {
    const { inboxIds } = this.#access
    if (!inboxIds.some((id) => id === data.inboxId)) return
    // Mailpit makes no such checks.
    if (change === 'checks') return
    if (event === 'message.received') await this.#sendNew(data.message?.id ?? '')
    if (event === 'message.updated') await this.#sendUpdated(data, change)
    if (event === 'message.deleted') await this.#sendDeleted(data, change)
    this.#stats ??= setTimeout(() => void this.#sendStats(), STATS_MS)
  }

  async #sendNew(id: string): Promise<void> {
    const json = await this.#summaryOf(id)
    if (json !== null) this.#write(`{"Type":"new","Data":${json}}`)
  }

  async #sendDeleted({ messageIds = [] }: EventData, change: Change): Promise<void> {
    const { mailbox } = this.#app.compat
    // The other shown inboxes may have some.
    const isEmpty = change === 'emptied' && (await mailbox.count(this.#access)).total === 0
    if (isEmpty) return this.#send('truncate', null)
    for (const ID of messageIds) this.#send('delete', { ID })
  }

  async #sendUpdated({ message }: EventData, change: Change): Promise<void> {
    const ID = message?.id ?? ''
    if (change === 'read') return this.#send('update', { ID, Read: message?.read })
    if (change === 'tagNames') return this.#send('prune', null)
    const json = await this.#summaryOf(ID)
    // Our own summary, as features/compat writes it.
    const { Tags } = JSON.parse(json ?? '{}') as { readonly Tags?: readonly string[] }
    if (Tags !== undefined) this.#send('update', { ID, Tags })
  }

  /** The JSON of a message as lists have it; null when it was deleted. */
  async #summaryOf(id: string): Promise<string | null> {
    const { compat } = this.#app
    const ref = await compat.mailbox.resolve(this.#access, { id, query: null })
    if (ref === null) return null
    const json = await compat.mailpit.view(this.#access, { view: 'summary', ref })
    return json === null ? null : Buffer.from(json).toString('utf8')
  }

  async #sendStats(): Promise<void> {
    this.#stats = null
    try {
      const { total, unread } = await this.#app.compat.mailbox.count(this.#access)
      this.#send('stats', { Total: total, Unread: unread, Version: MAILPIT_VERSION })
    } catch {
      // The counts come with the next event.
    }
  }

  #send(type: string, data: object | null): void {
    this.#write(JSON.stringify({ Type: type, Data: data }))
  }

  #write(text: string): void {
    if (this.#client.readyState === this.#client.OPEN) this.#client.send(text)
  }

  #stop(): void {
    clearInterval(this.#ping)
    if (this.#stats !== null) clearTimeout(this.#stats)
  }
}
