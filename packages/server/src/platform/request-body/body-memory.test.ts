import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'
import { BodyMemory } from './body-memory.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand.
const BOB = 'acc_bob' as AccountId // As above.
const CAROL = 'acc_carol' as AccountId // As above.

/** A server whose requests are taken one by one. */
async function startServer() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** The request as it was received; its body goes on with `asked`. */
    receive: async (headers: Record<string, string> = {}) => {
      const received = once(server, 'request')
      // A server that listens on TCP.
      const { port } = server.address() as AddressInfo
      const asked = request({ port, method: 'POST', headers })
      asked.on('error', () => {}).flushHeaders()
      const [payload]: IncomingMessage[] = await received
      assert.ok(payload !== undefined)
      return { asked, payload }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const codeOf = (held: Promise<unknown>) =>
  held.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

describe('the bodyMemory for bodies', () => {
  const bytesMax = 100

  it('is taken by a body until what it asks for is done, and by no other beyond its limits', async () => {
    await using server = await startServer()
    const bodyMemory = new BodyMemory({ bytesMax: 150, accountBytesMax: 100 })
    const send = async (owner: AccountId, size: number) => {
      const { asked, payload } = await server.receive()
      asked.end('x'.repeat(size))
      return (use = async () => {}) =>
        codeOf(bodyMemory.whileReserved({ owner, payload, bytesMax }, use))
    }
    const done = Promise.withResolvers<void>()
    const used = Promise.withResolvers<void>()
    const first = (await send(ALICE, 80))(() => {
      used.resolve()
      return done.promise
    })
    await used.promise
    assert.equal(await (await send(ALICE, 30))(), 'content_unavailable')
    assert.equal(await (await send(ALICE, 20))(), 'done')
    assert.equal(await (await send(BOB, 80))(), 'content_unavailable')
    assert.equal(await (await send(BOB, 70))(), 'done')
    done.resolve()
    assert.equal(await first, 'done')
    assert.equal(await (await send(ALICE, 100))(), 'done')
  })

  it('is free again when a body was refused, or its client has gone', async () => {
    await using server = await startServer()
    const bodyMemory = new BodyMemory({ bytesMax: 100, accountBytesMax: 100 })
    const never = async () => assert.fail('the body is not whole')
    const tooLarge = await server.receive()
    tooLarge.asked.write('x'.repeat(60))
    const refused = codeOf(
      bodyMemory.whileReserved({ owner: ALICE, payload: tooLarge.payload, bytesMax: 80 }, never),
    )
    await once(tooLarge.payload, 'data')
    tooLarge.asked.write('x'.repeat(30))
    assert.equal(await refused, 'body_too_large')

    const left = await server.receive({ 'content-length': '90' })
    left.asked.write('x'.repeat(80), () => left.asked.destroy())
    const gone = codeOf(
      bodyMemory.whileReserved({ owner: BOB, payload: left.payload, bytesMax }, never),
    )
    assert.equal(await gone, 'malformed_request')

    // Gone before its body is read.
    const early = await server.receive({ 'content-length': '90' })
    early.asked.destroy()
    while (!early.payload.destroyed) await nextTurn()
    const absent = codeOf(
      bodyMemory.whileReserved({ owner: BOB, payload: early.payload, bytesMax }, never),
    )
    assert.equal(await absent, 'malformed_request')

    const { asked, payload } = await server.receive()
    asked.end('x'.repeat(100))
    assert.equal(
      await codeOf(bodyMemory.whileReserved({ owner: CAROL, payload, bytesMax }, async () => {})),
      'done',
    )
  })
})
