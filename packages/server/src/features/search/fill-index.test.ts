import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  givenMail,
  NOW,
} from '../../../test/testing-store.ts'
import { systemClock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { fillIndex, ListedMessages } from './fill-index.ts'

const HOUR_MS = 3_600_000

/** Adds to the index until it is complete; tells how many messages each transaction added. */
async function fillAll(store: Store): Promise<number[]> {
  const ids = createIds(systemClock)
  const added: number[] = []
  for (let left = 'more'; left === 'more'; ) {
    const before = (await store.search.listUnindexed(1_000)).length
    left = await fillIndex({ store, clock: systemClock, ids, node: 'node' })
    added.push(before - (await store.search.listUnindexed(1_000)).length)
  }
  return added
}

async function countIndexed(store: Store): Promise<number> {
  const from = { before: 1e9, isCompared: false }
  return (await store.search.list(ALICE, { texts: ['hello'], from, limit: 100 })).entries.length
}

async function givenMails(store: Store, texts: readonly string[]): Promise<void> {
  const inbox = await givenInbox(store, { owner: ALICE })
  for (const text of texts) await givenMail(store, inbox.id, { text })
}

/** Letters that repeat no piece of three. */
function unlike(count: number): string {
  return Array.from({ length: count }, (_, i) => String.fromCharCode(0x4e00 + i)).join('')
}

describeEachDatabase('adding to the search index', (open, database) => {
  it('adds many mails with short texts in one transaction', async () => {
    const store = await open()
    await givenMails(
      store,
      Array.from({ length: 25 }, (_, i) => `Your code is ${i}.`),
    )
    assert.deepEqual(await fillAll(store), [20, 5])
  })

  it('goes on with what it has listed, and lists again when a message was deleted', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const given = []
    for (let i = 0; i < 45; i++) given.push((await givenMail(store, inbox.id)).messageId)
    let lists = 0
    const { search } = store
    const listUnindexed = search.listUnindexed.bind(search)
    search.listUnindexed = (limit) => {
      lists += 1
      return listUnindexed(limit)
    }
    const clock = { now: () => NOW + HOUR_MS }
    const listed = new ListedMessages()
    const deps = { store, clock, ids: createIds(clock), node: 'node' }
    const fill = () => fillIndex(deps, listed)
    assert.deepEqual([await fill(), lists], ['more', 1])
    const last = given.toSorted().at(-1) ?? assert.fail()
    await store.deleteMessages(ALICE, inbox.id, [last])
    assert.deepEqual([await fill(), lists], ['more', 1])
    assert.deepEqual([await fill(), lists], ['more', 1])
    assert.deepEqual([await fill(), lists], ['nothing', 2])
    assert.equal(await countIndexed(store), 44)
  })

  it('loses nothing when a transaction fails', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    for (let i = 0; i < 30; i++) await givenMail(store, inbox.id)
    const clock = { now: () => NOW + HOUR_MS }
    const failure = new Error('no commit')
    let isFailing = true
    const transaction: Store['transaction'] = (work, ...rest) =>
      store.transaction(
        async (tx) => {
          const result = await work(tx)
          if (isFailing) throw failure
          return result
        },
        ...rest,
      )
    const listed = new ListedMessages()
    const deps = { store: { ...store, transaction }, clock, ids: createIds(clock), node: 'node' }
    await assert.rejects(fillIndex(deps, listed), failure)
    isFailing = false
    assert.equal(await fillIndex(deps, listed), 'more')
    assert.equal(await fillIndex(deps, listed), 'nothing')
    assert.equal(await countIndexed(store), 30)
  })

  it('adds few mails with many different words, so that others can write in between', async () => {
    const store = await open()
    await givenMails(
      store,
      Array.from({ length: 4 }, () => unlike(20_000)),
    )
    assert.deepEqual(await fillAll(store), [1, 1, 1, 1])
  })

  it('adds messages that are received after the clock was set back', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const fill = (now: number, node = 'node') =>
      fillIndex({ store, clock: { now: () => now }, ids: createIds(systemClock), node })
    const found = async () => {
      const from = { before: 1e9, isCompared: false }
      const { entries } = await store.search.list(ALICE, { texts: ['hello'], from, limit: 9 })
      return entries.map(({ messageId }) => messageId)
    }
    const { messageId: first } = await givenMail(store, inbox.id)
    assert.equal(await fill(NOW + 2 * HOUR_MS), 'nothing')
    assert.deepEqual(await found(), [first])
    // Its id has the time of now, an hour and more before that.
    const { messageId: second } = await givenMail(store, inbox.id)
    assert.deepEqual(await store.search.listUnindexed(10), [])
    // The node before has not given up its lease.
    assert.equal(await fill(NOW + 1_000, 'another'), 'nothing')
    assert.deepEqual(await found(), [second, first])
    assert.deepEqual(await store.search.listUnindexed(10), [])
    const indexedTo = await store.search.indexedTo()
    await fill(NOW + 3_000, 'another')
    assert.ok((await store.search.indexedTo()) > indexedTo)
  })

  if (database !== 'PostgreSQL') return

  it('adds a message later whose deletion was rolled back', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    for (let i = 0; i < 3; i++) await givenMail(store, inbox.id)
    const clock = { now: () => NOW + HOUR_MS }
    const fill = () => fillIndex({ store, clock, ids: createIds(clock), node: 'node' })
    const listUnindexed = async () => (await store.search.listUnindexed(10)).map(({ id }) => id)
    const [, middle] = await listUnindexed()
    assert.ok(middle !== undefined)
    const deletion = store.transaction(async (tx) => {
      await tx.messageChanges.delete(ALICE, inbox.id, [middle])
      assert.equal(await fill(), 'more')
      assert.equal(await fill(), 'locked')
      throw new Error('the deletion failed')
    })
    await assert.rejects(deletion, /the deletion failed/)
    assert.deepEqual(await listUnindexed(), [middle])
    assert.equal(await fill(), 'nothing')
    assert.deepEqual(await listUnindexed(), [])
  })
})
