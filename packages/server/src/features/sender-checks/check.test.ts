import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, describeEachDatabase, givenInbox, givenMail } from '../../../test/testing-store.ts'
import { checkSender } from './check.ts'

describeEachDatabase('a sender check', (open) => {
  it('has no verdict when the mail is deleted while it is read', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const { mailId } = await givenMail(store, inbox.id)
    const auth = await checkSender(
      {
        store,
        readRaw: async () => {
          await store.inboxes.purge(ALICE, inbox.id)
          await store.mails.deleteUnshared([mailId])
          return (await store.mails.findRaw(mailId)) === null ? null : assert.fail('not deleted')
        },
        verify: () => assert.fail('nothing to verify'),
      },
      mailId,
    )
    assert.equal(auth, null)
  })
})
