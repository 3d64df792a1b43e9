import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import { type ContentHost, createContentHost } from './content-host.ts'

const ALICE = 'alice' as AccountId // A brand by hand: the test needs a fixed id.
const BOB = 'bob' as AccountId // As above.

type Tested = AsyncDisposable & {
  readonly host: ContentHost
  readonly failures: string[]
  /** What could not be deleted. */
  readonly left: unknown[]
  /** What the thread answers to this request. */
  ask(owner: AccountId, request: string): Promise<string>
}

function startHost(): Tested {
  const failures: string[] = []
  const left: unknown[] = []
  const host: ContentHost = createContentHost({
    databaseUrl: '',
    directUrl: null,
    logLevel: 'warn',
    cpuMsMax: 500,
    threadUrl: new URL('../../test/testing-content-thread.ts', import.meta.url),
    onFailure: ({ call }) => failures.push(call),
    onPurgeFailed: (error) => left.push(error),
  })
  return {
    host,
    failures,
    left,
    ask: async (owner, request) =>
      new TextDecoder().decode(await host.content.readRaw(owner, request)),
    [Symbol.asyncDispose]: () => host.stop(),
  }
}

describe('the content thread', () => {
  it('answers, and passes errors on', async () => {
    await using host = startHost()
    assert.equal(await host.ask(ALICE, 'a'), 'alice a')
    await assert.rejects(host.ask(ALICE, 'refuse'), { code: 'message_not_found' })
    assert.deepEqual(host.failures, [])
  })

  it('tells of what a call could not delete, which succeeds', async () => {
    await using host = startHost()
    assert.equal(await host.ask(ALICE, 'leave'), 'alice leave')
    assert.deepEqual(host.left, [new Error('some are left')])
    assert.deepEqual(host.failures, [])
  })

  it('runs a call again that was made before', async () => {
    await using host = startHost()
    const count = async () => (await host.ask(ALICE, 'count')).split(' ')[1]
    assert.deepEqual(await Promise.all([count(), count()]), ['1', '1'])
    assert.equal(await count(), '2')
  })

  it('lets accounts take turns', async () => {
    await using host = startHost()
    const order: string[] = []
    const ask = async (owner: AccountId, request: string) => {
      order.push(await host.ask(owner, request))
    }
    await Promise.all([
      ...['1', '2', '3', '4'].map((request) => ask(ALICE, request)),
      ask(BOB, '1'),
    ])
    assert.deepEqual(order, ['alice 1', 'bob 1', 'alice 2', 'alice 3', 'alice 4'])
  })

  for (const request of ['loop', 'exit']) {
    it(`is started again after a call that does this: ${request}`, async () => {
      await using host = startHost()
      const failing = assert.rejects(host.ask(ALICE, request), { code: 'content_unavailable' })
      const waiting = host.ask(BOB, 'b')
      await failing
      assert.equal(await waiting, 'bob b')
      // Not tried again at once.
      await assert.rejects(host.ask(ALICE, request), { code: 'content_unavailable' })
      assert.deepEqual(host.failures, [`readRaw alice "${request}"`])
    })
  }

  it('is handed the bytes of a mail, and does not write them into what a call is known by', async () => {
    await using tested = startHost()
    const { host, failures } = tested
    const body = Buffer.alloc(100_000, 'a')
    const request = {
      inboxId: 'inbox' as InboxId, // A brand by hand, as above.
      mailId: 'exit',
      receivedAt: 0,
      remoteAddress: '127.0.0.1',
      isScanned: false,
      username: null,
      messageBytesMax: 25 * 1024 * 1024,
    }
    const sent = host.content.sendMail(ALICE, { ...request, body })
    const refused = assert.rejects(sent, { code: 'content_unavailable' })
    await new Promise(setImmediate)
    assert.equal(body.length, 0, 'the bytes were copied')
    await refused
    const [call = '', ...others] = failures
    assert.deepEqual(others, [])
    assert.match(call, /^sendMail alice .{1,200}$/)
  })

  it('answers what waits when it is stopped', async () => {
    const host = startHost()
    const calls = [host.ask(ALICE, 'loop'), host.ask(ALICE, 'b')]
    const answered = Promise.allSettled(calls)
    await host[Symbol.asyncDispose]()
    for (const call of await answered) {
      assert.equal(call.status === 'rejected' && call.reason.code, 'shutting_down')
    }
  })
})
