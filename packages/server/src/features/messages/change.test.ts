import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { MessageId } from '@mayfly/contract'
import { ALICE, describeEachDatabase, givenInbox, givenMail } from '../../../test/testing-store.ts'
import { turnsDuring } from '../../../test/testing-turns.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { type ChangeDeps, markMessages } from './change.ts'

// A caller by hand: only its account is read.
const CALLER = { accountId: ALICE } as Caller

describeEachDatabase('marking many messages', (open) => {
  it('lets others have their turn, and tells of all of them', async () => {
    const store = await open()
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const ids: MessageId[] = []
    for (let i = 0; i < 101; i++) ids.push((await givenMail(store, inboxId)).messageId)
    for (const [selection, read] of [
      ['all', true],
      [ids, false],
    ] as const) {
      const told: (readonly MessageId[])[] = []
      const publish: ChangeDeps['publish'] = ({ messageIds }) => told.push(messageIds)
      const marking = { inboxId, selection, read }
      const turns = await turnsDuring(() => markMessages({ store, publish }, CALLER, marking))
      assert.ok(turns > 0)
      assert.equal(told.length, 3)
      assert.deepEqual(told.flat().sort(), ids.toSorted())
      assert.equal((await store.messages.listMarked(ALICE, inboxId, read)).length, ids.length)
    }
  })
})
