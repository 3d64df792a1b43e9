import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId, KeyId } from '@mayfly/contract'
import { elapsedMs } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import { SingleFlight } from './single-flight.ts'
import { Subscriptions } from './subscriptions.ts'
import { respondToWait } from './wait.ts'

const INBOX = 'inb_1' as InboxId // A brand by hand: the test needs a fixed id.

const CALLER = {
  accountId: 'acc_1' as AccountId, // As above.
  keyId: 'key_1' as KeyId, // As above.
  keyPrefix: 'mf_live_1',
  role: 'admin',
  environment: 'live',
  plan: 'unlimited',
} as const

/** A store in which there is one message. */
const store = {
  inboxes: { findProgress: async () => ({ lastSequence: 1, state: 'active' }) },
  candidates: {
    list: async () => [
      { id: 'msg_1', sequence: 1, from: { name: null, address: null }, otp: null },
    ],
  },
} as unknown as Tables // A wait that finds it calls nothing else.

describe('the response to a wait', () => {
  it('is an error when the message cannot be read before the connection would be closed', async () => {
    const never = async () => assert.fail('not called when a message is found')
    const deps = {
      store,
      clock: { now: () => 0 },
      subscriptions: new Subscriptions<InboxId>(),
      singleFlight: new SingleFlight(),
      content: { findMatch: never },
      registerWait: () => assert.fail('not called either'),
      takeWaitSlot: async () => ({ [Symbol.asyncDispose]: async () => {} }),
      explainWait: never,
      elapsedMs,
      writeMessage: () => new Promise<Uint8Array>(() => {}),
      presentMsMax: 10,
    }
    const gone = new AbortController().signal
    const response = respondToWait(deps, CALLER, {
      ...{ inboxId: INBOX, filter: {}, timeoutMs: 1_000, gone },
    })
    await assert.rejects(response, {
      code: 'content_unavailable',
      message: /^The mail has arrived/,
    })
  })
})
