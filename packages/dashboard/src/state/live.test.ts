import '../testing-browser.ts'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountEvent } from '@mayfly/client'
import { openPage, settled, untilTrue } from '../testing-page.ts'
import { Refusal, TestService } from '../testing-service.ts'
import { inboxes, loadOlderInboxes, olderCursor } from './inboxes.ts'
import { liveState } from './live.ts'
import { messageList } from './messages.ts'

const INBOX = 'inb_1'
const POLL_MS = 10_000

describe('a page', () => {
  it('keeps older inboxes when the stream of events was lost', async (t) => {
    const service = new TestService()
    const ids = Array.from({ length: 101 }, (_, index) => `inb_${1_000 + index}`)
    for (const id of ids) service.inboxes.set(id, [])
    service.when(/^GET \/v1\/inboxes$/, ({ url }) => {
      const listed = [...service.inboxes.keys()].sort().reverse()
      const isOlder = url.searchParams.get('cursor') === 'older'
      const page = isOlder ? listed.slice(100) : listed.slice(0, 100)
      return { inboxes: page.map((id) => service.inbox(id)), nextCursor: isOlder ? null : 'older' }
    })
    await openPage(t, service, { page: 'inboxes' })
    assert.equal(inboxes.value?.length, 100)
    await loadOlderInboxes()
    assert.deepEqual([inboxes.value?.length, olderCursor.value], [101, null])
    const before = service.calls.length
    service.loseStreams()
    await untilTrue(() => liveState.value === 'connecting')
    await untilReconnected(t, service, before)
    service.inboxes.set('inb_2000', [])
    const inbox = service.inbox('inb_2000')
    // The state reads these fields of it.
    service.announce({ type: 'inbox.created', inbox } as unknown as AccountEvent)
    await settled()
    t.mock.timers.tick(300)
    await untilTrue(() => inboxes.value?.[0]?.inbox.id === 'inb_2000')
    assert.equal(inboxes.value?.length, 102)
  })

  it('reads what it shows again when the stream was lost', async (t) => {
    const service = new TestService()
    service.inboxes.set(INBOX, [])
    await openPage(t, service, { page: 'inbox', inboxId: INBOX })
    const before = service.calls.length
    service.loseStreams()
    await untilTrue(() => liveState.value === 'connecting')
    // Nobody is told of it.
    service.receive(INBOX, { id: 'msg_1', subject: 'Meanwhile', read: false })
    await untilReconnected(t, service, before)
    await untilTrue(() => messageList.value?.messages[0]?.id === 'msg_1')
  })

  it('polls when the account has no place for a stream', async (t) => {
    const service = new TestService()
    service.inboxes.set(INBOX, [])
    await openPage(t, service, { page: 'inbox', inboxId: INBOX })
    let refusals = 0
    service.when(/^GET \/v1\/events$/, () => {
      refusals += 1
      return new Refusal(429, 'too_many_waits')
    })
    service.loseStreams()
    for (const round of [1, 2]) {
      await settled()
      t.mock.timers.tick(POLL_MS)
      await untilTrue(() => refusals >= round)
    }
    await untilTrue(() => liveState.value === 'polling')
    service.receive(INBOX, { id: 'msg_1', subject: 'Polled', read: false })
    await settled()
    t.mock.timers.tick(POLL_MS)
    await untilTrue(() => messageList.value?.messages[0]?.id === 'msg_1')
  })
})

/** The client waits before it opens a stream again. */
async function untilReconnected(
  t: Parameters<typeof openPage>[0],
  service: TestService,
  before: number,
): Promise<void> {
  await settled()
  t.mock.timers.tick(POLL_MS)
  await untilTrue(() => service.calls.slice(before).includes('GET /v1/events'))
  await untilTrue(() => liveState.value === 'live')
  await settled()
}
