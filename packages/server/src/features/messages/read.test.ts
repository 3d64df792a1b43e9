import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { MessageId } from '@mayfly/contract'
import { ALICE, describeEachDatabase, givenInbox, givenMail } from '../../../test/testing-store.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { listMessages, type MessageDeps } from './read.ts'

// A caller by hand: only its account is read.
const CALLER = { accountId: ALICE } as Caller

describeEachDatabase('a list of matches', (open) => {
  it('goes on after a page of which a message was deleted meanwhile', async () => {
    const store = await open()
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const ids: MessageId[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await givenMail(store, inboxId)).messageId)
    const [newest, second] = ids
    assert.ok(newest !== undefined && second !== undefined)
    const content = {
      searchInbox: async () => {
        await store.deleteMessages(ALICE, inboxId, [newest])
        return { found: ids.map((id, index) => ({ id, sequence: 3 - index })), before: null }
      },
    }
    // A list of matches needs no more.
    const deps = { store, content } as unknown as MessageDeps
    const page = await listMessages(deps, CALLER, { inboxId, q: 'x', limit: 2 })
    assert.deepEqual(
      page.messages.map(({ id }) => id),
      [second],
    )
    assert.notEqual(page.nextCursor, null)
  })
})
