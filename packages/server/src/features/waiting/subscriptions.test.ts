import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxId, KeyId } from '@mayfly/contract'
import { Subscriptions } from './subscriptions.ts'

const INBOX = 'inb_1' as InboxId // A brand by hand: the test needs fixed ids.
const OTHER = 'inb_2' as InboxId // A brand by hand.
const KEY = { keyId: 'key_1' as KeyId, keyPrefix: 'mf_live_1' } // A brand by hand.

/** Whether a promise is settled by the time the loop has turned. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('Subscriptions', () => {
  it('remembers what happened between subscribing and asking', async () => {
    const subscriptions = new Subscriptions<InboxId>()
    const subscription = subscriptions.subscribe(INBOX, KEY)
    subscriptions.wake([INBOX])
    const { signal } = new AbortController()
    assert.equal(await isSettled(subscription.next(signal)), true)
    const second = subscription.next(signal)
    assert.equal(await isSettled(second), false)
    subscriptions.wake([OTHER])
    assert.equal(await isSettled(second), false)
    subscriptions.wake([INBOX])
    assert.equal(await isSettled(second), true)
    subscription.close()
    assert.equal(subscriptions.size, 0)
    assert.deepEqual(subscriptions.topics(), [])
  })

  it('lets go when the signal fires, and leaves no listener', async () => {
    const subscriptions = new Subscriptions<InboxId>()
    const subscription = subscriptions.subscribe(INBOX, KEY)
    const deadline = new AbortController()
    const waiting = subscription.next(deadline.signal)
    deadline.abort()
    await waiting
    await subscription.next(deadline.signal)
  })

  it('ends every wait when the service stops, also those that come later', async () => {
    const subscriptions = new Subscriptions<InboxId>()
    const { signal } = new AbortController()
    const waiting = subscriptions.subscribe(INBOX, KEY).next(signal)
    subscriptions.close()
    await assert.rejects(waiting, { code: 'shutting_down' })
    await assert.rejects(subscriptions.subscribe(OTHER, KEY).next(signal), {
      code: 'shutting_down',
    })
  })
  it('knows a key until its last subscription is closed', () => {
    const subscriptions = new Subscriptions<InboxId>()
    const rotated = { ...KEY, keyPrefix: 'mf_live_2' }
    const first = subscriptions.subscribe(INBOX, KEY)
    const second = subscriptions.subscribe(OTHER, KEY)
    const third = subscriptions.subscribe(OTHER, rotated)
    assert.deepEqual(subscriptions.keys(), [KEY, rotated])
    first.close()
    first.close()
    third.close()
    assert.deepEqual(subscriptions.keys(), [KEY])
    second.close()
    assert.deepEqual(subscriptions.keys(), [])
  })
})
