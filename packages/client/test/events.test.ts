import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { type AccountEvent, createClient } from '../src/index.ts'
import { errorResponse, type SeenCall, startFakeHttp } from './testing-fake-http.ts'

const event = (number: number) =>
  `id: f-${number}\nevent: inbox.expired\ndata: {"inboxId":"inb_${number}"}\n\n`

/** A stream of this text, after which the connection closes. */
const stream = (text: string) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: text,
})

function idsOf(calls: readonly SeenCall[]) {
  return calls.map(({ headers }) => headers['last-event-id'])
}

describe('events of the account', () => {
  const shared = sharedService()

  it('are told as they happen', async () => {
    const { httpUrl: baseUrl, ...service } = await shared()
    const { key } = await service.register()
    const mayfly = createClient({ baseUrl, apiKey: String(key) })
    const stop = new AbortController()
    const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>()
    const seen: AccountEvent[] = []
    const following = (async () => {
      for await (const one of mayfly.events({ signal: stop.signal, onOpen })) {
        seen.push(one)
        if (one.type === 'message.received') stop.abort()
      }
    })()
    await opened
    const { id, emailAddress } = await mayfly.inboxes.create()
    await service.sendMail({ to: emailAddress, subject: 'Grüße' })
    await following
    const [created, received] = seen
    assert.ok(created?.type === 'inbox.created' && created.inbox.id === id)
    assert.ok(received?.type === 'message.received' && received.message.subject === 'Grüße')
  })

  it('go on after the last one when the connection is lost', async () => {
    const bodies = [`: open\n\n${event(1)}${event(2)}id: f-3\nev`, event(3), '']
    await using server = await startFakeHttp(async () => {
      const body = bodies.shift()
      return body === undefined ? errorResponse(401, 'invalid_api_key') : stream(body)
    })
    const mayfly = createClient({ baseUrl: server.baseUrl, apiKey: 'mf_test_key' })
    const lost: unknown[] = []
    const seen: string[] = []
    const follow = async () => {
      for await (const one of mayfly.events({ lastEventId: 'f-0', onLost: (e) => lost.push(e) })) {
        if (one.type === 'inbox.expired') seen.push(one.inboxId)
      }
    }
    await assert.rejects(follow, { code: 'invalid_api_key' })
    assert.deepEqual(seen, ['inb_1', 'inb_2', 'inb_3'])
    assert.deepEqual(idsOf(server.calls), ['f-0', 'f-2', 'f-3', 'f-3'])
    assert.equal(lost.length, 3)
  })

  it('begin with an error when the service cannot be reached', async () => {
    const mayfly = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'mf_test_key' })
    await assert.rejects(mayfly.events().next(), /cannot be reached/)
    const aborted = mayfly.events({ signal: AbortSignal.abort() })
    assert.equal((await aborted.next()).done, true)
  })
})
