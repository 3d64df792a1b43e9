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
import { commitWaiting } from './commit.ts'

function createCommit(store: Store, inbox: { readonly id: InboxId; readonly address: string }) {
  const clock = { now: () => NOW }
  const deps = createCommitDeps({ store, clock, signals: { announce: () => {} } })
  const recipients = [{ inboxId: inbox.id, address: inbox.address }]
  return (spool: string, ...sequences: readonly (number | null)[]) => {
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

describeEachDatabase('spooled mails', (open) => {
  it('are stored once, however often they are handed over', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const commit = createCommit(store, inbox)
    await commit('0', 1, 2)
    const again = await commit('0', 1, 2, 3)
    assert.deepEqual(
      again.map(({ state, messages }) => [state, messages.length]),
      [
        ['stored', 0],
        ['stored', 0],
        ['stored', 1],
      ],
    )
    assert.equal(await store.spools.storedTo('0'), 3)
    await commit('0', 2)
    assert.equal(await store.spools.storedTo('0'), 3)
    assert.equal(await countOf(store, inbox.id), 3)
  })

  it('of one spool do not count for another; mails without a number are always stored', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const commit = createCommit(store, inbox)
    await commit('0', 5, null)
    await commit('1', 1, null)
    assert.equal(await countOf(store, inbox.id), 4)
    assert.deepEqual([await store.spools.storedTo('0'), await store.spools.storedTo('1')], [5, 1])
  })

  it('are stored although their inbox is full by now; others are not', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await store.execute('update inbox set message_count = 1000')
    const results = await createCommit(store, inbox)('0', 1, null)
    assert.deepEqual(
      results.map(({ state }) => state),
      ['stored', 'full'],
    )
  })
})
