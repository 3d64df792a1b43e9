import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import type { StoreOutcome } from '../features/receiving/commit.ts'
import { FILE_BOUNDS } from './spools.ts'
import type { Entry } from './storing-entry.ts'
import { StoringQueue } from './storing-queue.ts'

const inboxOf = (name: string) => `inb_${name}` as InboxId // A brand by hand: tests need fixed ids.

/** Mail number 3 is for inbox 3; without a number it is not in the spool. */
function entryOf(sequence: number | null, { name = `${sequence}`, sizeBytes = 10 } = {}): Entry {
  const envelope = { mailFrom: 'a@b.c', remoteAddress: '::1', helo: null, tls: null, user: null }
  const recipients = [{ inboxId: inboxOf(name), address: name, isCaught: false }]
  const raw = Buffer.alloc(sizeBytes)
  const accepted = { envelope, recipients, raw, transcript: [], protocol: 'SMTP' }
  return {
    mail: { id: name, receivedAt: 1, accepted },
    sequence,
    isAwaited: sequence === null,
    sinceMs: sequence ?? 0,
    buckets: sequence === null ? [] : [sequence],
    stored: Promise.withResolvers<StoreOutcome>(),
    tried: Promise.withResolvers<void>(),
  }
}

function given(count: number) {
  const watched = new Set<number>()
  const queue = new StoringQueue(
    (buckets) => buckets.some((bucket) => watched.has(bucket)),
    FILE_BOUNDS,
  )
  for (let sequence = 1; sequence <= count; sequence++) queue.add(entryOf(sequence))
  const take = () => queue.take().map(({ sequence }) => sequence)
  return { queue, watched, take }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe('the queue before the storing thread', () => {
  it('gives 200 mails at a time, in order', () => {
    const { queue, take } = given(250)
    assert.deepEqual([take(), queue.clearTo, queue.sinceMs], [range(1, 200), 200, 201])
    assert.deepEqual([take(), queue.clearTo, queue.sinceMs], [range(201, 250), null, null])
    assert.deepEqual([take(), queue.length], [[], 0])
  })

  it('gives at most 1 MiB at a time, but always one mail', () => {
    const { queue, take } = given(0)
    const sizes = [2_000_000, 500_000, 500_000, 500_000]
    sizes.forEach((sizeBytes, i) => {
      queue.add(entryOf(i + 1, { sizeBytes }))
    })
    assert.deepEqual([take(), take(), take()], [[1], [2, 3], [4]])
  })

  it('gives mails first whose senders wait, with a few others', () => {
    const { queue, take } = given(100)
    assert.equal(queue.hasNeeded(), false)
    queue.add(entryOf(null))
    assert.equal(queue.hasNeeded(), true)
    assert.deepEqual(take(), [null, ...range(1, 16)])
    assert.equal(queue.hasNeeded(), false)
  })

  it('gives mails first that somebody waits for, once it is called', () => {
    const { queue, watched, take } = given(100)
    watched.add(50).add(90)
    assert.equal(queue.hasNeeded(), false)
    queue.call()
    assert.equal(queue.hasNeeded(), true)
    assert.deepEqual([take(), queue.clearTo], [[50, 90, ...range(1, 16)], 16])
    assert.equal(queue.hasNeeded(), false)
    queue.call()
    assert.deepEqual(
      [take(), queue.clearTo],
      [[...range(17, 49), ...range(51, 89), ...range(91, 100)], null],
    )
  })

  it('gives all mails of an inbox before one whose sender waits', () => {
    const { queue, take } = given(100)
    queue.add(entryOf(101, { name: '60' }))
    queue.need(inboxOf('60'))
    queue.add(entryOf(null, { name: '60' }))
    assert.deepEqual(take(), [60, 101, null, ...range(1, 16)])
  })

  it('gives the rest of more than 200 that are needed at the next call', () => {
    const { queue, watched, take } = given(300)
    for (const sequence of range(51, 300)) watched.add(sequence)
    queue.call()
    assert.deepEqual([take(), queue.hasNeeded()], [range(51, 250), true])
    assert.deepEqual([take(), queue.hasNeeded()], [[...range(251, 300), ...range(1, 16)], false])
  })

  it('gives a mail at once whose write to the spool has failed', () => {
    const { queue, take } = given(30)
    const failed = entryOf(31)
    queue.add(failed)
    failed.isAwaited = true
    queue.call()
    assert.deepEqual(take(), [31, ...range(1, 16)])
  })

  it('gives up mails whose senders have waited since before a time', () => {
    const { queue, take } = given(3)
    const [older, newer, spooled] = [entryOf(null), { ...entryOf(null), sinceMs: 10 }, entryOf(4)]
    spooled.isAwaited = true
    for (const entry of [older, newer, spooled]) queue.add(entry)
    assert.deepEqual(queue.takeAwaitedBefore(10), [spooled, older])
    assert.deepEqual(queue.takeAwaitedBefore(10), [])
    assert.deepEqual(take(), [null, 1, 2, 3])
  })

  it('gives mails that were put back first, one by one when asked', () => {
    const { queue, watched, take } = given(30)
    watched.add(20)
    queue.call()
    const batch = queue.take()
    queue.putBack(batch)
    assert.equal(queue.clearTo, 0)
    assert.deepEqual(queue.takeOne(), [batch[0]])
    assert.equal(queue.clearTo, 0)
    assert.deepEqual(take(), [...range(1, 16), ...range(17, 19), ...range(21, 30)])
    queue.add(entryOf(null))
    assert.equal(queue.takeOne()[0]?.sequence, null)
  })
})
