import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import { WatchedElsewhere } from './watched-elsewhere.ts'

const inboxOf = (name: string | number) => `inb_${name}` as InboxId // A brand by hand: tests need fixed ids.

/** Two nodes, of which the second holds waits for these inboxes. */
function given(topics: readonly InboxId[]) {
  const watched = new Map<string, number>()
  const sent: object[] = []
  const first: WatchedElsewhere = new WatchedElsewhere({
    watch: (id, isWatched) => watched.set(id, (watched.get(id) ?? 0) + (isWatched ? 1 : -1)),
    topics: () => [],
    send: (message) => second.receive(JSON.parse(JSON.stringify(message))),
  })
  const second = new WatchedElsewhere({
    watch: () => {},
    topics: () => topics,
    send: (message) => {
      sent.push(message)
      first.receive(JSON.parse(JSON.stringify(message)))
    },
  })
  return { first, second, watched, sent }
}

describe('what is waited for at another node', () => {
  it('is watched when mails are stored later, for a while', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const { first, second, watched, sent } = given(['a', 'b'].map(inboxOf))
      second.onWatched(inboxOf('a'), true)
      assert.deepEqual(sent, [], 'nobody stores mails later')
      first.storesLater()
      second.onWatched(inboxOf('c'), true)
      second.onWatched(inboxOf('c'), false)
      assert.deepEqual(Object.fromEntries(watched), { inb_a: 1, inb_b: 1, inb_c: 1 })
      mock.timers.tick(3_000)
      assert.deepEqual(Object.fromEntries(watched), { inb_a: 0, inb_b: 0, inb_c: 0 })
    } finally {
      mock.timers.reset()
    }
  })

  it('is told in messages that fit a notification', () => {
    const { first, watched, sent } = given(Array.from({ length: 201 }, (_, i) => inboxOf(i)))
    first.storesLater()
    assert.equal(watched.size, 201)
    assert.deepEqual(
      sent.map((message) => ('wantedIds' in message ? Object(message.wantedIds).length : 0)),
      [100, 100, 1],
    )
  })

  it('is watched at once when a request waits for it; anything else is ignored', () => {
    const { first, second, watched } = given([])
    second.want({ accountId: 'acc_1' as AccountId, inboxId: inboxOf('a') }) // A brand by hand.
    for (const foreign of [null, 7, {}, { wantedIds: 'inb_b' }, { storesLater: false }]) {
      first.receive(foreign)
    }
    assert.deepEqual(Object.fromEntries(watched), { inb_a: 1 })
  })
})
