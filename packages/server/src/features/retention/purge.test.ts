import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  givenMail,
  NOW,
} from '../../../test/testing-store.ts'
import { createPurging, type Purging } from './purge.ts'

describeEachDatabase('purging', (open) => {
  it('is done in another thread for an inbox with much mail', async () => {
    const store = await open()
    const calls: string[] = []
    const apart: Purging = {
      purgeInbox: async (_owner, { id }) => calls.push(`purge ${id}`) > 0,
      deleteMessages: async (_owner, { inboxId }) => {
        calls.push(`delete ${inboxId}`)
        return []
      },
    }
    const { purgeInbox, deleteMessages } = createPurging(store, apart)
    const fills = [
      { sizeBytes: 4 * 1024 * 1024, messageCount: 100, isApart: false },
      { sizeBytes: 4 * 1024 * 1024 + 1, messageCount: 1, isApart: true },
      { sizeBytes: 1, messageCount: 101, isApart: true },
    ]
    for (const { isApart, ...size } of fills) {
      const { id } = await givenInbox(store, { owner: ALICE })
      const { messageId } = await givenMail(store, id)
      const [fill] = await store.receiving.lockInboxes([id])
      assert.ok(fill !== undefined)
      await store.receiving.setUsage([{ ...fill, ...size }])
      const deleted = await deleteMessages(ALICE, { inboxId: id, selection: [messageId] })
      assert.equal(await purgeInbox(ALICE, { id, now: NOW }), true)
      assert.deepEqual(deleted, isApart ? [] : [messageId])
      assert.deepEqual(calls.splice(0), isApart ? [`delete ${id}`, `purge ${id}`] : [])
      assert.equal((await store.inboxes.find(ALICE, id, NOW)) === null, !isApart)
    }
    const unknown = await givenInbox(store, { owner: ALICE })
    await purgeInbox(ALICE, { id: unknown.id, now: NOW })
    assert.equal(await purgeInbox(ALICE, { id: unknown.id, now: NOW }), false)
  })
})
