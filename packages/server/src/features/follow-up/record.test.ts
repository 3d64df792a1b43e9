import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  givenUnscanned,
} from '../../../test/testing-store.ts'
import type { Store } from '../../store/open.ts'
import { recordFindings } from './record.ts'

type Scanned = Awaited<ReturnType<typeof givenUnscanned>>

/** Records that these attachments are clean; returns the mails that were announced. */
async function recordClean(store: Store, scanned: readonly Scanned[]): Promise<readonly string[]> {
  const announced: string[] = []
  await recordFindings(
    { store, announce: ({ mailIds }) => announced.push(...mailIds) },
    scanned.flatMap(({ mailId, attachmentIds }) =>
      attachmentIds.map(
        (id) =>
          ({
            kind: 'attachment',
            attachment: { id, mailId },
            verdict: { status: 'available', reason: null },
          }) as const,
      ),
    ),
  )
  return announced
}

async function listUnscanned(store: Store): Promise<readonly string[]> {
  return (await store.attachments.listUnscanned({ except: [], roundMax: 10 })).map(({ id }) => id)
}

describeEachDatabase('findings of the scanner', (open, database) => {
  it('are recorded for the mails that still exist', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const deleted = await givenUnscanned(store, inbox.id)
    const kept = await givenUnscanned(store, inbox.id)
    await store.deleteMessages(ALICE, inbox.id, [deleted.messageId])
    assert.deepEqual(await recordClean(store, [deleted, kept]), [kept.mailId])
    assert.deepEqual(await listUnscanned(store), [])
  })

  if (database !== 'PostgreSQL') return

  it('do not wait for a mail that is being deleted, and are due again if it is not', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const locked = await givenUnscanned(store, inbox.id)
    const free = await givenUnscanned(store, inbox.id)
    const deletion = store.transaction(async (tx) => {
      await tx.messageChanges.delete(ALICE, inbox.id, [locked.messageId])
      await tx.mails.deleteUnshared([locked.mailId])
      assert.deepEqual(await recordClean(store, [free, locked]), [free.mailId])
      throw new Error('the deletion failed')
    })
    await assert.rejects(deletion, /the deletion failed/)
    assert.deepEqual(await listUnscanned(store), locked.attachmentIds)
    assert.deepEqual(await recordClean(store, [locked]), [locked.mailId])
    assert.deepEqual(await listUnscanned(store), [])
  })
})
