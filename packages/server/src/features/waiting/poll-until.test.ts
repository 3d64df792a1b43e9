import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxId, KeyId } from '@mayfly/contract'
import { pollUntil } from './poll-until.ts'
import { Subscriptions } from './subscriptions.ts'

const INBOX = 'inb_1' as InboxId // A brand by hand: the test needs a fixed id.
const KEY = { keyId: 'key_1' as KeyId, keyPrefix: 'mf_live_1' } // A brand by hand.
const LONG_MS = 60_000

/** Runs a wait whose looks find these results, one after the other, then nothing. */
function wait(
  results: (string | null)[],
  about: {
    timeoutMs?: number
    gone?: AbortSignal
    onLook?: () => void
  } = {},
) {
  const subscriptions = new Subscriptions<InboxId>()
  let looks = 0
  const { timeoutMs = LONG_MS, gone = new AbortController().signal } = about
  const found = pollUntil(
    { subscriptions },
    { inboxId: INBOX, timeoutMs, gone, key: KEY },
    async () => {
      looks += 1
      about.onLook?.()
      return results.shift() ?? null
    },
  )
  return { found, subscriptions, looks: () => looks }
}

describe('pollUntil', () => {
  it('returns what the first look finds', async () => {
    const { found, looks, subscriptions } = wait(['here'])
    assert.equal(await found, 'here')
    assert.equal(looks(), 1)
    assert.equal(subscriptions.size, 0)
  })

  it('looks again after a wake that came during a look', async () => {
    const { found, subscriptions, looks } = wait([null, 'later'])
    subscriptions.wake([INBOX])
    assert.equal(await found, 'later')
    assert.equal(looks(), 2)
  })

  it('looks once without time', async () => {
    const { found, looks } = wait([null, 'later'], { timeoutMs: 0 })
    assert.equal(await found, null)
    assert.equal(looks(), 1)
  })

  it('looks a last time when the time is up', async () => {
    const { found, looks } = wait([null, 'at last'], { timeoutMs: 1 })
    assert.equal(await found, 'at last')
    assert.equal(looks(), 2)
  })

  it('ends when the client goes, also when it went before', async () => {
    const gone = new AbortController()
    const held = wait([], { gone: gone.signal })
    gone.abort()
    assert.equal(await held.found, null)
    const late = wait([], { gone: gone.signal })
    assert.equal(await late.found, null)
    assert.equal(late.looks(), 1)
  })

  it('leaves no subscription behind when a look throws', async () => {
    const { found, subscriptions } = wait([], {
      onLook: () => {
        throw new Error('storage')
      },
    })
    await assert.rejects(found, /storage/)
    assert.equal(subscriptions.size, 0)
  })
})
