import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { AnnouncedMessages } from './announced-messages.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand: the tests need fixed ids.
const BOB = 'acc_bob' as AccountId // As above.
const INBOX = 'inb_1' as InboxId // As above.
const OTHER = 'inb_2' as InboxId // As above.

function message(sequence: number, inboxId = INBOX) {
  const id = `msg_${inboxId}_${sequence}` as MessageId // As above.
  const mail = { mailId: `eml_${sequence}`, receivedAt: sequence, otp: null, body: null }
  return { ...mail, id, inboxId, accountId: ALICE, sequence }
}

/** The numbers of the messages after another one, or null. */
function numbersAfter(announced: AnnouncedMessages, after: number, inboxId = INBOX) {
  const found = announced.listAfter(ALICE, inboxId, after)
  return found?.map(({ sequence }) => sequence) ?? null
}

describe('announced messages', () => {
  it('are listed by inbox, the newest first, for their owner', () => {
    const announced = new AnnouncedMessages()
    announced.add([message(4), message(9, OTHER), message(5)])
    assert.deepEqual(numbersAfter(announced, 3), [5, 4])
    assert.deepEqual(numbersAfter(announced, 4), [5])
    assert.deepEqual(numbersAfter(announced, 8, OTHER), [9])
    assert.equal(announced.listAfter(BOB, INBOX, 3), null)
    assert.equal(announced.find(ALICE, message(5).id)?.sequence, 5)
    assert.equal(announced.find(BOB, message(5).id), null)
  })

  it('are not listed when one before them may be missing', () => {
    const announced = new AnnouncedMessages()
    announced.add([message(4)])
    assert.equal(numbersAfter(announced, 2), null)
    announced.add([message(6)])
    assert.equal(numbersAfter(announced, 3), null, 'number 5 was announced by another node')
    assert.deepEqual(numbersAfter(announced, 5), [6])
    assert.equal(numbersAfter(announced, 5, OTHER), null)
  })

  it('are forgotten when the event loop turns', async () => {
    const announced = new AnnouncedMessages()
    announced.add([message(1)])
    await Promise.resolve()
    assert.deepEqual(numbersAfter(announced, 0), [1])
    await turn()
    assert.equal(numbersAfter(announced, 0), null)
    assert.equal(announced.find(ALICE, message(1).id), null)
  })

  it('are searched by so many waits only that the event loop is not held up', async () => {
    const announced = new AnnouncedMessages()
    const search = () => Array.from({ length: 200 }, () => numbersAfter(announced, 0) !== null)
    announced.add([message(1)])
    assert.equal(search().filter(Boolean).length, 100)
    await turn()
    announced.add([message(1)])
    assert.equal(search().filter(Boolean).length, 100)
  })
})
