import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** One server-sent event. */
type Event = { readonly id: string; readonly event: string; readonly json: string }

/** Interval of comments that keep proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000

/** Sends events as text/event-stream until they end or the client disconnects. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncGenerator<Event>,
  gone: AbortSignal,
): FastifyReply {
  const stream = new EventStream()
  if (gone.aborted) stream.destroy()
  gone.addEventListener('abort', () => stream.destroy(), { once: true })
  void stream.pump(events)
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(stream)
}

/**
 * The text of a stream of events.
 *
 * The next event is read only when the client has received the ones before: unread events stay in
 * the database, not in memory. One that reads nothing at all is disconnected by the server's idle
 * timeout, because nothing more is written to it.
 */
class EventStream extends Readable {
  readonly #heartbeat: NodeJS.Timeout
  #resume: (() => void) | null = null

  constructor() {
    super()
    this.push(': open\n\n')
    this.#heartbeat = setInterval(() => {
      if (this.readableLength === 0) this.push(': still here\n\n')
    }, HEARTBEAT_MS)
  }

  /** Pushes events until they end or the stream is destroyed. */
  async pump(events: AsyncGenerator<Event>): Promise<void> {
    try {
      for await (const { id, event, json } of events) {
        if (this.destroyed) return
        const hasRoom = this.push(`id: ${id}\nevent: ${event}\ndata: ${json}\n\n`)
        if (!hasRoom) await this.#read()
        if (this.destroyed) return
      }
    } catch {
      // The inbox was deleted, the key revoked, or the service stops: the client reconnects and
      // gets the error then.
    }
    if (!this.destroyed) this.push(null)
  }

  override _read(): void {
    this.#resume?.()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat)
    this.#resume?.()
    callback(error)
  }

  /** Resolves when the client has read the pushed bytes, or the stream is destroyed. */
  async #read(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#resume = resolve
    await promise
    this.#resume = null
  }
}
