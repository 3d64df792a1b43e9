import type { InboxId } from '@mayfly/contract'
import pg from 'pg'

/** Carries word of what happened in inboxes between nodes that share one PostgreSQL. */
export type NodeSignals = {
  /** Tells the other nodes, soon. */
  announce(inboxIds: readonly InboxId[]): void
  close(): Promise<void>
}

/** What the other nodes' word is for. */
export type NodeSignalsOptions = {
  readonly url: string
  /** Names this node, so that it does not hear itself. */
  readonly node: string
  readonly onSignal: (inboxIds: readonly InboxId[]) => void
  /** The connection was lost and is back: whatever was said meanwhile was not heard. */
  readonly onReconnect: () => void
  readonly onError: (error: unknown) => void
}

const CHANNEL = 'mayfly_inboxes'

/** Word is gathered for this long: one notification then tells of many mails. */
const GATHER_MS = 5

/** A notification holds 8,000 bytes; an id has 30, and quotes and a comma. */
const IDS_PER_NOTIFICATION = 200

const RECONNECT_MS = 500

/**
 * Opens a connection of its own. Never inside a message's transaction: NOTIFY holds a lock over
 * the whole database from its commit on, which would make all commits of all nodes queue.
 */
export function openNodeSignals(options: NodeSignalsOptions): NodeSignals {
  return new PostgresSignals(options)
}

class PostgresSignals implements NodeSignals {
  readonly #options: NodeSignalsOptions
  #client: pg.Client | null = null
  #pending = new Set<InboxId>()
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> = Promise.resolve()
  #isClosed = false
  #wasConnected = false
  readonly #connecting: Promise<void>

  constructor(options: NodeSignalsOptions) {
    this.#options = options
    this.#connecting = this.#connect()
  }

  announce(inboxIds: readonly InboxId[]): void {
    for (const id of inboxIds) this.#pending.add(id)
    if (this.#timer !== null || this.#pending.size === 0) return
    this.#timer = setTimeout(() => {
      // One after the other: the connection takes one query at a time.
      this.#sending = this.#sending.then(() => this.#send())
    }, GATHER_MS)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#connecting
    await this.#sending
    await this.#client?.end()
  }

  async #send(): Promise<void> {
    this.#timer = null
    const ids = [...this.#pending]
    this.#pending = new Set()
    for (let start = 0; start < ids.length; start += IDS_PER_NOTIFICATION) {
      const inboxIds = ids.slice(start, start + IDS_PER_NOTIFICATION)
      const payload = JSON.stringify({ node: this.#options.node, inboxIds })
      try {
        await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, payload])
      } catch (error) {
        // The others find it by their sweep.
        this.#options.onError(error)
        return
      }
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'mayfly signals',
      keepAlive: true,
    })
    client.on('notification', ({ payload }) => this.#hear(payload))
    client.on('error', this.#options.onError)
    client.on('end', () => this.#reconnect())
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      this.#client = client
      if (this.#wasConnected) this.#options.onReconnect()
      this.#wasConnected = true
    } catch (error) {
      this.#options.onError(error)
      await client.end().catch(() => {})
    }
  }

  #reconnect(): void {
    this.#client = null
    if (this.#isClosed) return
    setTimeout(() => {
      if (!this.#isClosed) void this.#connect()
    }, RECONNECT_MS)
  }

  #hear(payload: string | undefined): void {
    // Only nodes speak on this channel; they say what `#send` says.
    const { node, inboxIds } = JSON.parse(payload ?? '{}') as {
      node?: string
      inboxIds?: readonly InboxId[]
    }
    if (node !== this.#options.node && inboxIds !== undefined) this.#options.onSignal(inboxIds)
  }
}
