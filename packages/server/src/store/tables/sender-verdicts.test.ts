import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  givenMail,
} from '../../../test/testing-store.ts'
import type { Store } from '../open.ts'
import type { SenderVerdict } from './sender-verdicts.ts'

const verdict = (mailId: string, result: string): SenderVerdict => {
  const one = { result, domain: null, detail: null }
  return { mailId, auth: { spf: one, dkim: one, dmarc: one } }
}

const add = (store: Store, ...verdicts: SenderVerdict[]) =>
  store.transaction((tx) => tx.senderVerdicts.add(verdicts))

describeEachDatabase('sender verdicts', (open) => {
  it('are part of the message; the first one stays', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { mailId, messageId } = await givenMail(store, inbox.id)
    const found = async () => (await store.messages.find(ALICE, inbox.id, messageId))?.auth
    assert.equal(await found(), null)
    assert.notEqual(await store.mails.findUncheckedEnvelope(mailId), null)

    await add(store, verdict(mailId, 'pass'), verdict(mailId, 'fail'))
    await add(store, verdict(mailId, 'neutral'))
    assert.equal((await found())?.spf.result, 'pass')
    assert.equal(await store.mails.findUncheckedEnvelope(mailId), null)
  })

  it('are missing until they are written, and belong to the account that has the mail', async () => {
    const store = await open()
    const ofAlice = await givenMail(store, (await givenInbox(store, { owner: ALICE })).id)
    const ofBob = await givenMail(store, (await givenInbox(store, { owner: BOB })).id)
    const mailIds = [ofAlice.mailId, ofBob.mailId, 'eml_gone']
    const missing = await store.senderVerdicts.listMissing(mailIds)
    assert.deepEqual(
      missing.toSorted((one, other) => one.accountId.localeCompare(other.accountId)),
      [
        { mailId: ofAlice.mailId, accountId: ALICE },
        { mailId: ofBob.mailId, accountId: BOB },
      ],
    )
    await add(store, verdict(ofAlice.mailId, 'pass'))
    const left = await store.senderVerdicts.listMissing(mailIds)
    assert.deepEqual(left, [{ mailId: ofBob.mailId, accountId: BOB }])
  })

  it('are deleted with the mail, and not written for a mail that is gone', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const deleted = await givenMail(store, inbox.id)
    const other = await givenInbox(store, { owner: ALICE })
    const kept = await givenMail(store, other.id)
    await add(store, verdict(deleted.mailId, 'pass'))
    await store.transaction(async (tx) => {
      await tx.inboxes.purge(ALICE, inbox.id)
      await tx.mails.deleteUnshared([deleted.mailId])
    })
    await add(store, verdict(deleted.mailId, 'fail'), verdict(kept.mailId, 'pass'))
    const message = await store.messages.find(ALICE, other.id, kept.messageId)
    assert.equal(message?.auth?.spf.result, 'pass')
  })
})
