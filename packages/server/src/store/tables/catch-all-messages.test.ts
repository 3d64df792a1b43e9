import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { MessageId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  givenMail,
  untilLockWait,
} from '../../../test/testing-store.ts'

describeEachDatabase('tags', (open, database) => {
  it('replace those that the messages had', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    const { messageId: first } = await givenMail(store, inbox.id)
    const { messageId: second } = await givenMail(store, inbox.id)
    const set = (ids: readonly MessageId[], tags: readonly string[]) =>
      store.transaction((tx) =>
        tx.catchAllMessages.setTags(
          ids.map((messageId) => ({ inboxId: inbox.id, messageId })),
          tags,
        ),
      )
    await set([first, second], ['old', 'both'])
    await set([second], ['new', 'both'])
    assert.deepEqual(
      Object.fromEntries(await store.catchAllMessages.countTags(ALICE, [inbox.id])),
      {
        both: 2,
        new: 1,
        old: 1,
      },
    )
  })

  it('are counted up to a limit: those of the most messages, then those of the newest', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    const { messageId: older } = await givenMail(store, inbox.id)
    const { messageId: newer } = await givenMail(store, inbox.id)
    const numbered = (name: string) => Array.from({ length: 300 }, (_, i) => `${name} ${i}`)
    for (const [messageId, name] of [
      [newer, 'newer'],
      [older, 'older'],
    ] as const) {
      const ref = { inboxId: inbox.id, messageId }
      await store.transaction((tx) =>
        tx.catchAllMessages.setTags([ref], [...numbered(name), 'of both']),
      )
    }
    const tags = await store.catchAllMessages.countTags(ALICE, [inbox.id])
    assert.equal(tags.size, 500)
    assert.equal(tags.get('of both'), 2)
    for (const tag of numbered('newer')) assert.equal(tags.get(tag), 1, tag)
    assert.deepEqual(
      [...tags.keys()],
      [...tags.keys()].sort((a, b) => a.localeCompare(b, 'en')),
    )
  })

  it('are found in any case, and only whole', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    const set = async (tags: readonly string[]) => {
      const { messageId } = await givenMail(store, inbox.id)
      const ref = { inboxId: inbox.id, messageId }
      await store.transaction((tx) => tx.catchAllMessages.setTags([ref], tags))
      return { ...ref, tags }
    }
    const wanted = await set(['A_b', 'other'])
    for (const tag of ['axb', 'A_bc', '%']) await set([tag])
    assert.deepEqual(await store.catchAllMessages.listTagged(ALICE, [inbox.id], 'a_B'), [wanted])
    assert.deepEqual(await store.catchAllMessages.listTagged(BOB, [inbox.id], 'a_B'), [])
  })

  if (database !== 'PostgreSQL') return

  it('are set while receiving deletes some of the messages', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    const { messageId: first } = await givenMail(store, inbox.id)
    const { messageId: second } = await givenMail(store, inbox.id)
    const { messageId: kept } = await givenMail(store, inbox.id)
    const refs = [first, second, kept].map((messageId) => ({ inboxId: inbox.id, messageId }))
    let tagged: Promise<void> | null = null
    await store.transaction(async (tx) => {
      await tx.receiving.lockInboxes([inbox.id])
      await tx.messageChanges.delete(ALICE, inbox.id, [second])
      tagged = store.transaction((other) => other.catchAllMessages.setTags(refs, ['tag']))
      await untilLockWait(store)
      await tx.messageChanges.delete(ALICE, inbox.id, [first])
    })
    await tagged
    const tags = await store.catchAllMessages.countTags(ALICE, [inbox.id])
    assert.deepEqual([...tags], [['tag', 1]])
  })
})
