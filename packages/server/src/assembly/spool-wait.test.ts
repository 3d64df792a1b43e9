import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, BOB, describeEachDatabase, givenInbox } from '../../test/testing-store.ts'
import { createSpoolWait } from './spool-wait.ts'

describeEachDatabase('waiting for spooled mails', (open, database) => {
  if (database !== 'PostgreSQL') return

  it('asks for them once, and ends when they are stored', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    const mail = { id: 'eml_1', accountId: ALICE, inboxId: inbox.id, content: Buffer.from('') }
    await store.spools.mails.add([mail], 'node')
    const wanted: unknown[] = []
    const asked = Promise.withResolvers<void>()
    const wait = createSpoolWait(store, (signal) => {
      wanted.push(signal.wanted)
      if (wanted.length === 2) asked.resolve()
    })
    await wait(BOB)
    await wait(ALICE, other.id)
    assert.deepEqual(wanted, [])
    const waiting = Promise.all([wait(ALICE), wait(ALICE, inbox.id)])
    await asked.promise
    await store.spools.mails.take(['eml_1'])
    await waiting
    const expected = [{ accountId: ALICE }, { accountId: ALICE, inboxId: inbox.id }]
    assert.deepEqual(new Set(wanted), new Set(expected))
  })
})
