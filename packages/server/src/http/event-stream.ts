import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** One server-sent event. */
type Event = { readonly id: string; readonly event: string; readonly data: unknown }

/** Interval of comments that keep proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000

/** Sends events as text/event-stream until they end or the client disconnects. */
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
    // The inbox was deleted, or the service stops: the client reconnects and gets the error then.
  }
  if (!stream.destroyed) stream.push(null)
}
