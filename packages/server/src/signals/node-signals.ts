import type { InboxId } from '@mayfly/contract'
import pg from 'pg'
import { z } from 'zod'

/** Announces between nodes that share one PostgreSQL in which inboxes something happened. */
export type NodeSignals = {
  /** Announces to the other nodes, within milliseconds. */
  announce(inboxIds: readonly InboxId[]): void
  /** Sends to the other nodes; the JSON of a message has at most 7,000 bytes. */
  send(message: object): void
  close(): Promise<void>
}

/** How announcements of other nodes are handled. */
export type NodeSignalsOptions = {
  readonly url: string
  /** Identifies this node, so that it ignores its own announcements. */
  readonly node: string
  readonly onSignal: (inboxIds: readonly InboxId[]) => void
  /** Called with each message of another node; its form is not validated here. */
  readonly onMessage: (message: unknown) => void
  /** Called when the connection is restored: announcements in between were missed. */
  readonly onReconnect: () => void
  /** Called when another node reports that its announcements or messages were lost. */
  readonly onLost: () => void
  /** Called for a foreign notification on our channel, with their count. */
  readonly onForeign: (count: number) => void
  readonly onError: (error: unknown) => void
}

const CHANNEL = 'mayfly_inboxes'

/** Announcements are collected for this long after a notification: under load one covers many. */
const COLLECT_MS = 5

/** A notification has at most 8,000 bytes; an id has 30, with quotes and a comma 33. */
const IDS_PER_NOTIFICATION = 200

const RECONNECT_MS = 500

const CONNECT_MS_MAX = 5_000

/** How often the connection is tested: a dead one would not report an error. */
const BEAT_MS = 3_000

/** Longest time of a statement on this connection; after that it is closed. */
const RESPONSE_MS_MAX = 2_000

/** Bytes of messages in one notification, less than 8,000 for the name of the node. */
const MESSAGE_BYTES_MAX = 7_500

const announcement = z.union([
  z.object({
    node: z.string(),
    inboxIds: z.array(z.string().transform((id) => id as InboxId)), // Only used to find waits.
  }),
  z.object({ node: z.string(), messages: z.array(z.unknown()) }),
  z.object({ node: z.string(), lost: z.literal(true) }),
])

/**
 * Opens a connection for LISTEN and NOTIFY.
 *
 * NOTIFY is never sent in the transaction of a message: it takes a lock on the whole database
 * during the commit, which would serialise the commits of all nodes.
 */
export function openNodeSignals(options: NodeSignalsOptions): NodeSignals {
  return new PostgresSignals(options)
}

class PostgresSignals implements NodeSignals {
  readonly #options: NodeSignalsOptions
  #client: pg.Client | null = null
  #pending = new Set<InboxId>()
  #messages: object[] = []
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> = Promise.resolve()
  #isClosed = false
  #beat: NodeJS.Timeout | null = null
  #wasConnected = false
  /** Whether something was not sent, and the other nodes were not notified of it yet. */
  #hasLost = false
  #foreignCount = 0
  #connecting: Promise<void>
  #reconnectTimer: NodeJS.Timeout | null = null

  constructor(options: NodeSignalsOptions) {
    this.#options = options
    this.#connecting = this.#connect()
  }

  announce(inboxIds: readonly InboxId[]): void {
    for (const id of inboxIds) this.#pending.add(id)
    if (this.#pending.size > 0) this.#sendSoon()
  }

  send(message: object): void {
    this.#messages.push(message)
    this.#sendSoon()
  }

  #sendSoon(): void {
    if (this.#timer !== null) return
    // In sequence: the connection takes one query at a time.
    this.#sending = this.#sending.then(() => this.#send())
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#pending.size > 0 || this.#messages.length > 0) this.#sendSoon()
    }, COLLECT_MS)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#reconnectTimer !== null) clearTimeout(this.#reconnectTimer)
    await this.#connecting
    await this.#sending
    if (this.#client !== null) await end(this.#client)
  }

  async #send(): Promise<void> {
    const ids = [...this.#pending]
    this.#pending = new Set()
    const contents: object[] = batchesOf(this.#messages).map((messages) => ({ messages }))
    this.#messages = []
    for (let start = 0; start < ids.length; start += IDS_PER_NOTIFICATION) {
      contents.push({ inboxIds: ids.slice(start, start + IDS_PER_NOTIFICATION) })
    }
    if (this.#hasLost) contents.unshift({ lost: true })
    for (const content of contents) {
      if (await this.#notify(content)) continue
      // The other nodes find the mail by polling; the rest they cannot find.
      this.#hasLost = true
      return
    }
    this.#hasLost = false
  }

  /** Sends one notification; whether it was sent. */
  async #notify(content: object): Promise<boolean> {
    const client = this.#client
    if (client === null) return false
    const payload = JSON.stringify({ node: this.#options.node, ...content })
    try {
      await withTimeout(client, client.query('select pg_notify($1, $2)', [CHANNEL, payload]))
      return true
    } catch (error) {
      this.#options.onError(error)
      return false
    }
  }

  /** Tests the connection, and reports losses if nothing else was to be sent since. */
  async #try(): Promise<void> {
    const client = this.#client
    if (this.#hasLost) await this.#send()
    else if (client !== null) await withTimeout(client, client.query('select 1'))
  }

  #startBeat(): void {
    this.#beat = setInterval(() => {
      this.#sending = this.#sending.then(() => this.#try()).catch(this.#options.onError)
    }, BEAT_MS)
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'mayfly signals',
      connectionTimeoutMillis: CONNECT_MS_MAX,
      keepAlive: true,
      // NOTIFY holds a lock on all databases of the server until its commit is synced. No mail is
      // lost with an announcement: polling finds it.
      options: '-c synchronous_commit=off',
    })
    client.on('notification', ({ payload }) => this.#receive(payload))
    client.on('error', this.#options.onError)
    client.on('end', () => this.#reconnect())
    try {
      await client.connect()
      await withTimeout(client, client.query(`listen ${CHANNEL}`))
      this.#client = client
      if (this.#isClosed) return
      this.#startBeat()
      if (this.#wasConnected) {
        // Also if nothing was to be sent: other nodes may have requested messages meanwhile.
        this.#hasLost = true
        this.#sending = this.#sending.then(() => this.#send())
        this.#options.onReconnect()
      }
      this.#wasConnected = true
    } catch (error) {
      this.#options.onError(error)
      await end(client)
    }
  }

  #reconnect(): void {
    this.#client = null
    this.#stopBeat()
    if (this.#isClosed) return
    this.#reconnectTimer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, RECONNECT_MS)
  }

  #stopBeat(): void {
    if (this.#beat !== null) clearInterval(this.#beat)
    this.#beat = null
  }

  #receive(payload: string | undefined): void {
    const received = parsePayload(payload ?? '')
    if (received === null) {
      this.#foreignCount += 1
      this.#options.onForeign(this.#foreignCount)
    } else if (received.node !== this.#options.node) {
      if ('inboxIds' in received) this.#options.onSignal(received.inboxIds)
      else if ('lost' in received) this.#options.onLost()
      else for (const message of received.messages) this.#options.onMessage(message)
    }
  }
}

/** Waits for a response; closes the connection after the timeout. */
async function withTimeout(client: pg.Client, response: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), RESPONSE_MS_MAX)
  try {
    await response
  } finally {
    clearTimeout(timer)
  }
}

async function end(client: pg.Client): Promise<void> {
  await withTimeout(client, client.end()).catch(() => {})
}

/** Reads a notification of `#send`; null for any other: every user of the database can notify. */
function parsePayload(text: string): z.infer<typeof announcement> | null {
  try {
    const parsed = announcement.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Messages in groups that fit one notification each. */
function batchesOf(messages: readonly object[]): object[][] {
  const batches: object[][] = []
  let bytes = MESSAGE_BYTES_MAX
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message)) + 1
    if (bytes + size > MESSAGE_BYTES_MAX) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(message)
    bytes += size
  }
  return batches
}
