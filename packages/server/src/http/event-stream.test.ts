import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { sendEvents } from './event-stream.ts'
import { clientGone } from './route.ts'

const EVENTS = 1_000
const EVENT_BYTES = 64 * 1024

describe('sendEvents', () => {
  it('takes no more events than the client reads, and ends with a client that reads none', async () => {
    let taken = 0
    const ended = Promise.withResolvers<void>()
    async function* produce() {
      try {
        for (; taken < EVENTS; taken++) {
          yield { id: String(taken), event: 'message', json: 'x'.repeat(EVENT_BYTES) }
        }
      } finally {
        ended.resolve()
      }
    }
    const http = fastify({ connectionTimeout: 200 })
    http.get('/events', async (_request, reply) => sendEvents(reply, produce(), clientGone(reply)))
    await using _http = { [Symbol.asyncDispose]: () => http.close() }
    const { port } = new URL(await http.listen({ port: 0 }))
    const client = connect(Number(port), '127.0.0.1').pause()
    client.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await ended.promise
    client.destroy()
    // The rest is what the buffers of the two sockets hold.
    assert.ok(taken < EVENTS / 2, `${taken} events were taken`)
  })
})

describe('clientGone', () => {
  it('is aborted for a client that disconnected before it was asked for', async () => {
    const gone = Promise.withResolvers<boolean>()
    const arrived = Promise.withResolvers<void>()
    const http = fastify()
    http.addHook('preHandler', async (request) => {
      arrived.resolve()
      await once(request.raw.socket, 'close')
      // As after a query: the events of the disconnection are over.
      await new Promise((resolve) => setImmediate(resolve))
    })
    http.get('/', async (_request, reply) => {
      gone.resolve(clientGone(reply).aborted)
      return ''
    })
    await using _http = { [Symbol.asyncDispose]: () => http.close() }
    const { port } = new URL(await http.listen({ port: 0 }))
    const client = connect(Number(port), '127.0.0.1')
    client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await arrived.promise
    client.destroy()
    assert.equal(await gone.promise, true)
  })
})
