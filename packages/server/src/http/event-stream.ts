import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** One event as the store of events gives it. */
type Event = { readonly id: string; readonly event: string; readonly data: unknown }

/** A comment this often keeps proxies from closing a silent stream. */
const HEARTBEAT_MS = 15_000

/** Sends events as text/event-stream until they end or the client goes. */
export function sendEvents(
  reply: FastifyReply,
  events: AsyncGenerator<Event>,
  gone: AbortSignal,
): FastifyReply {
  const stream = new Readable({ read() {} })
  stream.push(': open\n\n')
  const heartbeat = setInterval(() => stream.push(': still here\n\n'), HEARTBEAT_MS)
  gone.addEventListener('abort', () => stream.destroy(), { once: true })
  stream.once('close', () => clearInterval(heartbeat))
  void pump(stream, events)
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(stream)
}

async function pump(stream: Readable, events: AsyncGenerator<Event>): Promise<void> {
  try {
    for await (const { id, event, data } of events) {
      if (stream.destroyed) return
      stream.push(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    }
  } catch {
    // Deleted, or the service stops: the client reconnects and is told then.
  }
  if (!stream.destroyed) stream.push(null)
}
