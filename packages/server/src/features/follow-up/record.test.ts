import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  givenMail,
  NOW,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { NewAttachment } from '../../store/tables/mails.ts'
import { recordFindings } from './record.ts'

const ids = createIds({ now: () => NOW })

/** A mail with an attachment that waits for the scanner. */
async function givenUnscanned(store: Store, inboxId: InboxId) {
  const attachment: NewAttachment = {
    id: ids.next('attachment'),
    filename: 'a.txt',
    contentType: 'text/plain',
    contentId: null,
    inline: false,
    sizeBytes: 5,
    sha256: '',
    status: 'quarantined',
    reason: null,
    heldFor: 'scan',
    bodyStart: 0,
    bodyEnd: 5,
    bodyEncoding: 'identity',
  }
  return { ...(await givenMail(store, inboxId, { attachments: [attachment] })), attachment }
}

type Scanned = Awaited<ReturnType<typeof givenUnscanned>>

/** Records that these attachments are clean; returns the mails that were announced. */
async function recordClean(store: Store, scanned: readonly Scanned[]): Promise<readonly string[]> {
  const announced: string[] = []
  await recordFindings(
    { store, announce: ({ mailIds }) => announced.push(...mailIds) },
    scanned.map(({ mailId, attachment }) => ({
      kind: 'attachment',
      attachment: { id: attachment.id, mailId },
      verdict: { status: 'available', reason: null },
    })),
  )
  return announced
}

async function listUnscanned(store: Store): Promise<readonly string[]> {
  return (await store.attachments.listUnscanned(null, 10)).map(({ id }) => id)
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
    assert.deepEqual(await listUnscanned(store), [locked.attachment.id])
    assert.deepEqual(await recordClean(store, [locked]), [locked.mailId])
    assert.deepEqual(await listUnscanned(store), [])
  })
})
