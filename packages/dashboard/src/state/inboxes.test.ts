import '../testing-browser.ts'
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountEvent } from '@mayfly/client'
import { openPage, settled, untilTrue } from '../testing-page.ts'
import { TestService } from '../testing-service.ts'
import { inboxes, unreadTotal } from './inboxes.ts'

const REFRESH_MS = 300

it('an inbox has the counts of an event, not older ones that were read before it', async (t) => {
  const service = new TestService()
  service.inboxes.set('inb_1', [])
  await openPage(t, service, { page: 'inboxes' })
  service.inboxes.set('inb_2', [{ id: 'msg_1', subject: 'Other', read: false }])
  const released = Promise.withResolvers<void>()
  service.when(/^GET \/v1\/inboxes\/inb_2$/, async () => {
    const counted = service.inbox('inb_2')
    await released.promise
    return counted
  })
  // The page reads an inbox that was created elsewhere.
  const created = { type: 'inbox.created', inbox: service.inbox('inb_2') }
  // The state reads these fields of it.
  service.announce(created as unknown as AccountEvent)
  await settled()
  t.mock.timers.tick(REFRESH_MS)
  await untilTrue(() => service.calls.includes('GET /v1/inboxes/inb_2'))
  service.mark('inb_2', 'msg_1', true)
  await settled()
  released.resolve()
  await untilTrue(() => inboxes.value?.length === 2)
  assert.deepEqual([inboxes.value?.[0]?.inbox.id, inboxes.value?.[0]?.unreadCount], ['inb_2', 0])
  assert.equal(unreadTotal.value, 0)
})
