import '../testing-browser.ts'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { navigate } from '../route.ts'
import { openPage, untilTrue } from '../testing-page.ts'
import { Refusal, TestService } from '../testing-service.ts'
import { runSearch, search, searchOn } from './search.ts'

const INBOX = 'inb_1'
const FOUND = { id: 'msg_1', inboxId: INBOX, subject: 'Receipt', read: false }
const INDEXED = '2026-01-31T00:00:00.000Z'

function givenService() {
  const service = new TestService()
  service.inboxes.set(INBOX, [])
  return service
}

describe('a search', () => {
  it('goes on with the next page, also after pages without a match', async (t) => {
    const service = givenService()
    const cursors: (string | null)[] = []
    service.when(/^GET \/v1\/search$/, ({ url }) => {
      cursors.push(url.searchParams.get('cursor'))
      const isLast = cursors.length === 8
      const messages = isLast ? [FOUND] : []
      return { messages, nextCursor: isLast ? null : 'again', indexedUntil: INDEXED }
    })
    await openPage(t, service, { page: 'search', q: 'acme' })
    await untilTrue(() => search.value?.state === 'ready' && cursors.length === 5)
    // Then the reader decides.
    assert.deepEqual([search.value?.messages, search.value?.nextCursor], [[], 'again'])
    await searchOn()
    assert.deepEqual(cursors, [null, ...Array(7).fill('again')])
    assert.deepEqual(
      search.value?.messages.map(({ id }) => id),
      ['msg_1'],
    )
    await searchOn()
    assert.equal(cursors.length, 8)
  })

  it('counts mail that has arrived since, and says how far the index is', async (t) => {
    const service = givenService()
    service.when(/^GET \/v1\/search$/, () => ({
      messages: [FOUND],
      nextCursor: null,
      indexedUntil: INDEXED,
    }))
    await openPage(t, service, { page: 'search', q: 'acme' })
    await untilTrue(() => search.value?.state === 'ready')
    assert.deepEqual([search.value?.arrived, search.value?.indexedUntil], [0, INDEXED])
    service.receive(INBOX, { id: 'msg_2', subject: 'Latest', read: false })
    await untilTrue(() => search.value?.arrived === 1)
  })

  it('without a query lists the newest mail of all inboxes, live', async (t) => {
    const service = givenService()
    service.inboxes.set('inb_2', [{ id: 'msg_1', subject: 'First', read: false }])
    await openPage(t, service, { page: 'inboxes' })
    const ids = () => String(search.value?.messages.map(({ id }) => id))
    await untilTrue(() => search.value?.state === 'ready' && ids() === 'msg_1')
    service.receive(INBOX, { id: 'msg_2', subject: 'Second', read: false })
    await untilTrue(() => ids() === 'msg_2,msg_1')
    assert.equal(search.value?.messages[0]?.inboxId, INBOX)
    navigate({ page: 'message', inboxId: 'inb_2', messageId: 'msg_1', tab: null, isFound: true })
    service.announce({ type: 'inbox.deleted', id: 'evt_1', inboxId: INBOX })
    await untilTrue(() => ids() === 'msg_1')
  })

  it('loses what was deleted while the page was offline, and keeps what arrives meanwhile', async (t) => {
    const service = givenService()
    for (const id of ['msg_1', 'msg_2', 'msg_3']) {
      service.receive(INBOX, { id, subject: id, read: false })
    }
    await openPage(t, service, { page: 'inboxes' })
    const ids = () => String(search.value?.messages.map(({ id }) => id))
    await untilTrue(() => ids() === 'msg_3,msg_2,msg_1')
    const stale = { messages: [1, 3].map((n) => ({ ...FOUND, id: `msg_${n}` })).reverse() }
    service.when(/^GET \/v1\/search$/, () => {
      service.receive(INBOX, { id: 'msg_4', subject: 'Fourth', read: false })
      return { ...stale, nextCursor: null, indexedUntil: INDEXED }
    })
    const reading = runSearch('')
    await untilTrue(() => ids().startsWith('msg_4'))
    await reading
    assert.equal(ids(), 'msg_4,msg_3,msg_1')
  })

  it('says what the service refused', async (t) => {
    const service = givenService()
    service.when(/^GET \/v1\/search$/, () => new Refusal(400, 'invalid_query'))
    await openPage(t, service, { page: 'search', q: 'is:red' })
    await untilTrue(() => search.value?.state === 'failed')
    assert.deepEqual(search.value?.error, { text: 'invalid_query', requestId: 'req_1' })
  })
})
