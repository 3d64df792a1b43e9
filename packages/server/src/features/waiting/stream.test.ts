import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId, KeyId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  givenRefusal,
  NOW,
} from '../../../test/testing-store.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { SingleFlight } from './single-flight.ts'
import { openStream } from './stream.ts'
import { Subscriptions } from './subscriptions.ts'

const KEY = { keyId: 'key_1' as KeyId, keyPrefix: 'mf_live_1' } // A brand by hand.
// A caller by hand: a stream only reads its account and its key.
const CALLER = { accountId: ALICE, ...KEY } as Caller

/** Opens streams of an inbox. */
function given(store: Store, inboxId: InboxId) {
  const subscriptions = new Subscriptions<InboxId>()
  const takeStreamSlot = async () => ({ [Symbol.asyncDispose]: async () => {} })
  const deps = { store, subscriptions, takeStreamSlot, singleFlight: new SingleFlight() }
  const gone = new AbortController()
  return {
    wake: () => subscriptions.wake([inboxId]),
    open: async (lastEventId: string | null = null) => {
      const stream = await openStream(deps, CALLER, { inboxId, lastEventId, gone: gone.signal })
      return {
        next: async () => {
          const { value } = await stream.next()
          return value === undefined ? null : { id: value.id, ...JSON.parse(value.json) }
        },
        close: async () => {
          await stream.return(undefined)
        },
      }
    },
  }
}

describeEachDatabase('the stream of an inbox', (open) => {
  it('tells each stage once when transactions end in another order than they began', async () => {
    const store = await open()
    const { id } = await givenInbox(store, { owner: ALICE })
    await givenRefusal(store, id, { at: NOW - 1_000, detail: 'before' })
    const { open: openInbox, wake } = given(store, id)
    const streams = [await openInbox(), await openInbox()]
    const told = async () =>
      await Promise.all(streams.map(async (stream) => (await stream.next()).detail))
    await givenRefusal(store, id, { at: NOW, detail: 'first' })
    assert.deepEqual(await told(), ['first', 'first'])
    await givenRefusal(store, id, { at: NOW - 1, detail: 'late' })
    // Its id is earlier than what was stored before the streams began.
    await givenRefusal(store, id, { at: NOW - 2_000, detail: 'later' })
    await givenRefusal(store, id, { at: NOW + 1, detail: 'last' })
    wake()
    for (const detail of ['later', 'late', 'last']) {
      assert.deepEqual(await told(), [detail, detail])
    }
    for (const stream of streams) await stream.close()
  })

  it('is resumed after the latest stage, whatever came after that', async () => {
    const store = await open()
    const { id } = await givenInbox(store, { owner: ALICE })
    const { open: openInbox, wake } = given(store, id)
    const stream = await openInbox()
    await givenRefusal(store, id, { at: NOW, detail: 'newest' })
    const newest = await stream.next()
    await givenRefusal(store, id, { at: NOW - 1, detail: 'late' })
    wake()
    const late = await stream.next()
    assert.deepEqual([late.detail, late.id], ['late', newest.id])
    await stream.close()
    const resumed = await openInbox(late.id)
    await givenRefusal(store, id, { at: NOW + 1, detail: 'next' })
    assert.equal((await resumed.next()).detail, 'next')
    await resumed.close()
  })
})
