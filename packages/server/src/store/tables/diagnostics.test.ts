import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  NOW,
  untilLockWait,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import type { NewDiagnosticEvent } from './diagnostics.ts'

const ids = createIds({ now: () => NOW })

function refusal(inboxId: InboxId): NewDiagnosticEvent {
  const event = { id: ids.next('diagnostic'), inboxId, at: NOW, detail: 'refused' }
  return { ...event, stage: 'smtp.refused', reason: 'inbox_expired' }
}

describeEachDatabase('diagnostic events', (open, database) => {
  it('are written only for inboxes that exist', async () => {
    const store = await open()
    const purged = await givenInbox(store, { owner: ALICE })
    const kept = await givenInbox(store, { owner: ALICE })
    await store.purgeInbox(ALICE, { id: purged.id, now: NOW })
    await store.transaction((tx) => tx.diagnostics.add([refusal(purged.id), refusal(kept.id)]))
    assert.deepEqual(await store.diagnostics.list(purged.id, 10), [])
    assert.equal((await store.diagnostics.list(kept.id, 10)).length, 1)
  })

  if (database !== 'PostgreSQL') return

  it('do not wait for an inbox that is being purged', async () => {
    const store = await open()
    const first = await givenInbox(store, { owner: ALICE })
    const second = await givenInbox(store, { owner: ALICE })
    await store.transaction(async (tx) => {
      await tx.inboxes.purge(ALICE, second.id)
      const events = [refusal(first.id), refusal(second.id)]
      await store.transaction((other) => other.diagnostics.add(events))
      assert.equal((await store.diagnostics.list(first.id, 10)).length, 1)
      await tx.inboxes.purge(ALICE, first.id)
    })
  })

  it('are counted by domain in one order, whatever the order of the refusals', async () => {
    const store = await open()
    const counts = new Map([
      ['b.example', 1],
      ['a.example', 1],
    ])
    let counted: Promise<void> | null = null
    await store.transaction(async (tx) => {
      await tx.diagnostics.countRefusals(new Map([['a.example', 1]]), NOW)
      counted = store.transaction((other) => other.diagnostics.countRefusals(counts, NOW))
      await untilLockWait(store)
      await tx.diagnostics.countRefusals(new Map([['b.example', 1]]), NOW)
    })
    await counted
    const totals = await store.domains.countRefusals(['a.example', 'b.example'], NOW)
    assert.deepEqual([totals.get('a.example'), totals.get('b.example')], [2, 2])
  })
})
