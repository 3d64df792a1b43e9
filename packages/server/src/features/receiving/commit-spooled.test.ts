import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { createCommitDeps } from '../../assembly/storing.ts'
import type { Store } from '../../store/open.ts'
import { commitMails, commitWaiting } from './commit.ts'

function createCommit(store: Store, inbox: { readonly id: InboxId; readonly address: string }) {
  const clock = { now: () => NOW }
  const deps = createCommitDeps({ store, clock, signals: { announce: () => {} } })
  const recipients = [{ inboxId: inbox.id, address: inbox.address }]
  return (
    spool: { readonly name: string; readonly storedTo: number },
    ...sequences: readonly (number | null)[]
  ) => {
    const batch = sequences.map((sequence) => ({
      mail: newMail(),
      recipients,
      ...(sequence === null ? {} : { spoolSequence: sequence }),
    }))
    return commitWaiting(deps, batch, { spool, until: 'committed' })
  }
}

const countOf = async (store: Store, inboxId: InboxId) =>
  (await store.receiving.lockInboxes([inboxId], 'wait'))[0]?.messageCount

const SHARED = { spool: 'shared', until: 'synced' } as const

async function givenShared(
  store: Store,
  inbox: { readonly id: InboxId; readonly address: string },
) {
  const deps = createCommitDeps({
    store,
    clock: { now: () => NOW },
    signals: { announce: () => {} },
  })
  const recipients = [{ inboxId: inbox.id, address: inbox.address }]
  const spooled = { mail: newMail(), recipients, spoolSequence: 1 }
  const row = { id: spooled.mail.id, accountId: ALICE, inboxId: inbox.id, content: Buffer.from('') }
  await store.spools.mails.add([row], 'node')
  return { deps, spooled, unspooled: { mail: newMail(), recipients } }
}

describeEachDatabase('spooled mails', (open, database) => {
  it('are stored once, however often they are handed over', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const commit = createCommit(store, inbox)
    await commit({ name: '0', storedTo: 2 }, 1, 2)
    const again = await commit({ name: '0', storedTo: 3 }, 1, 2, 3)
    assert.deepEqual(
      again.map(({ state, messages }) => [state, messages.length]),
      [
        ['stored', 0],
        ['stored', 0],
        ['stored', 1],
      ],
    )
    assert.deepEqual(await store.spools.files.find('0'), { to: 3, beyond: [] })
    await commit({ name: '0', storedTo: 2 }, 2)
    assert.deepEqual(await store.spools.files.find('0'), { to: 3, beyond: [] })
    assert.equal(await countOf(store, inbox.id), 3)
  })

  it('are stored once, also before others that came earlier', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const commit = createCommit(store, inbox)
    const name = '0'
    await commit({ name, storedTo: 0 }, 5, 3)
    assert.deepEqual(await store.spools.files.find(name), { to: 0, beyond: [5, 3] })
    await commit({ name, storedTo: 3 }, 1, 2, 3, 5)
    assert.deepEqual(await store.spools.files.find(name), { to: 3, beyond: [5] })
    await commit({ name, storedTo: 5 }, 4)
    assert.deepEqual(await store.spools.files.find(name), { to: 5, beyond: [] })
    assert.equal(await countOf(store, inbox.id), 5)
  })

  it('of one spool do not count for another; mails without a number are always stored', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const commit = createCommit(store, inbox)
    await commit({ name: '0', storedTo: 5 }, 5, null)
    await commit({ name: '1', storedTo: 1 }, 1, null)
    assert.equal(await countOf(store, inbox.id), 4)
    assert.deepEqual(
      [await store.spools.files.find('0'), await store.spools.files.find('1')],
      [
        { to: 5, beyond: [] },
        { to: 1, beyond: [] },
      ],
    )
  })

  it('are stored although their inbox is full by now; others are not', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await store.execute('update inbox set message_count = 1000')
    const results = await createCommit(store, inbox)({ name: '0', storedTo: 1 }, 1, null)
    assert.deepEqual(
      results.map(({ state }) => state),
      ['stored', 'full'],
    )
  })

  if (database !== 'PostgreSQL') return

  it('of the shared spool are stored by whoever takes them first', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { deps, spooled, unspooled } = await givenShared(store, inbox)
    const twice = await Promise.all([
      commitWaiting(deps, [spooled, unspooled], SHARED),
      commitWaiting(deps, [spooled], SHARED),
    ])
    const counts = twice.map((results) => results.map(({ messages }) => messages.length))
    assert.deepEqual(counts.flat().toSorted(), [0, 1, 1])
    assert.equal(counts[0]?.[1], 1)
    assert.equal(await countOf(store, inbox.id), 2)
    assert.deepEqual(await store.spools.mails.listOf(ALICE), [])
  })

  it('of the shared spool stay there while their inbox is locked', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { deps, spooled } = await givenShared(store, inbox)
    const storeApart = async () => {
      assert.equal((await store.spools.mails.listOf(ALICE, inbox.id)).length, 1)
      return (await commitWaiting(deps, [spooled], SHARED))[0] ?? assert.fail()
    }
    const locked = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const locking = store.transaction(async (tx) => {
      await tx.receiving.lockInboxes([inbox.id])
      locked.resolve()
      await ended.promise
    })
    await locked.promise
    const [apart] = await commitMails({ ...deps, storeApart }, [spooled], SHARED)
    ended.resolve()
    await locking
    assert.equal((await apart)?.messages.length, 1)
    assert.equal(await countOf(store, inbox.id), 1)
  })
})
