import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, BOB, describeEachDatabase, givenInbox } from '../../test/testing-store.ts'
import { createSpoolWait, SPOOL_WAIT_MS_MAX } from './spool-wait.ts'

describeEachDatabase('waiting for spooled mails', (open, database) => {
  if (database !== 'PostgreSQL') return

  it('asks for them once, and ends when those are stored that were there at its begin', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    const spool = (id: string) => {
      const mail = { id, accountId: ALICE, inboxId: inbox.id, content: Buffer.from('') }
      return store.spools.mails.add([mail], 'node')
    }
    await spool('eml_1')
    const wanted: unknown[] = []
    const asked = Promise.withResolvers<void>()
    const wait = createSpoolWait(store, (signal) => {
      wanted.push(signal.wanted)
      if (wanted.length === 2) asked.resolve()
    })
    await wait(BOB)
    await wait(ALICE, other.id)
    assert.deepEqual(wanted, [])
    const startedAt = performance.now()
    const waiting = Promise.all([wait(ALICE), wait(ALICE, inbox.id)])
    await asked.promise
    // Accepted after the request: nobody waits for it.
    await spool('eml_2')
    await store.spools.mails.take(['eml_1'])
    await waiting
    assert.ok(performance.now() - startedAt < SPOOL_WAIT_MS_MAX)
    const expected = [{ accountId: ALICE }, { accountId: ALICE, inboxId: inbox.id }]
    assert.deepEqual(new Set(wanted), new Set(expected))
  })

  it('waits for all of very many', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const ids = Array.from({ length: 450 }, (_, number) => `eml_${number}`)
    const mail = { accountId: ALICE, inboxId: inbox.id, content: Buffer.from('') }
    await store.spools.mails.add(
      ids.map((id) => ({ id, ...mail })),
      'node',
    )
    const accepted = await store.spools.mails.listOf(ALICE)
    const last = accepted.at(-1) ?? assert.fail()
    const asked = Promise.withResolvers<void>()
    let isOver = false
    const waiting = createSpoolWait(store, () => asked.resolve())(ALICE).then(() => {
      isOver = true
    })
    await asked.promise
    await store.spools.mails.take(accepted.slice(0, -1))
    assert.deepEqual(await store.spools.mails.listOf(ALICE), [last])
    assert.equal(isOver, false)
    await store.spools.mails.take([last])
    await waiting
  })
})
