import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { RateAddition } from '../../store/tables/rate-windows.ts'
import { MemoryWindows, type WindowCounter } from './memory-windows.ts'
import { RateLimiter } from './rate-limiter.ts'

const RATE = { name: 'acc_1', limit: 30, windowMs: 60_000 }

describe('the rate limiter', () => {
  it('allows exactly as many as the limit, however many come at the same time', async () => {
    const limiter = new RateLimiter({ now: () => 0 }, new MemoryWindows())
    const results = await Promise.all(Array.from({ length: 100 }, () => limiter.consume(RATE)))
    assert.equal(results.filter(({ isAllowed }) => isAllowed).length, 30)
    const left = results.slice(0, 30).map(({ remaining }) => remaining)
    assert.deepEqual(
      left,
      Array.from({ length: 30 }, (_, i) => 29 - i),
    )
    assert.ok(results.slice(30).every(({ remaining }) => remaining === 0))
  })

  it('begins a window with the first request, and returns when it ends', async () => {
    let now = 5_000
    const limiter = new RateLimiter({ now: () => now }, new MemoryWindows())
    const rate = { ...RATE, limit: 1 }
    assert.equal((await limiter.consume(rate)).resetSeconds, 60)
    now += 59_001
    const refused = await limiter.consume(rate)
    assert.deepEqual([refused.isAllowed, refused.resetSeconds], [false, 1])
    now += 998
    assert.equal((await limiter.consume(rate)).isAllowed, false)
    now += 1
    assert.equal((await limiter.consume(rate)).isAllowed, true)
  })

  it('does not ask again while a window is used up, unless the limit was raised', async () => {
    const { counter, asked } = recorded(new MemoryWindows())
    const limiter = new RateLimiter({ now: () => 0 }, counter)
    const rate = { ...RATE, limit: 2 }
    for (let i = 0; i < 10; i++) await limiter.consume(rate)
    assert.equal(asked.length, 2)
    const raised = await limiter.consume({ ...rate, limit: 5 })
    assert.deepEqual([raised.isAllowed, raised.remaining], [true, 2])
  })

  it('counts together what comes together', async () => {
    const { counter, asked } = recorded(new MemoryWindows())
    const limiter = new RateLimiter({ now: () => 0 }, counter)
    const names = Array.from({ length: 250 }, (_, i) => ({ ...RATE, name: `acc_${i % 125}` }))
    await Promise.all(names.map((rate) => limiter.consume(rate)))
    // A hundred names at a time.
    assert.deepEqual(
      asked.map((additions) => additions.length),
      [100, 25],
    )
    const counts = asked.flat().map(({ count }) => count)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      250,
    )
  })

  it('counts together what comes while a batch is counted, also when that one fails', async () => {
    const memory = new MemoryWindows()
    const begun = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const asked: number[] = []
    const counter: WindowCounter = {
      add: async (additions) => {
        asked.push(...additions.map(({ count }) => count))
        if (asked.length > 1) return memory.add(additions)
        begun.resolve()
        await answered.promise
        throw new Error('no answer')
      },
      deleteEnded: async () => {},
    }
    const limiter = new RateLimiter({ now: () => 0 }, counter)
    const first = Promise.allSettled([limiter.consume(RATE), limiter.consume(RATE)])
    await begun.promise
    const second = Promise.all([1, 2, 3].map(() => limiter.consume(RATE)))
    answered.resolve()
    for (const { status } of await first) assert.equal(status, 'rejected')
    for (const { isAllowed } of await second) assert.equal(isAllowed, true)
    assert.deepEqual(asked, [2, 3])
  })

  it('does not allow twice the limit around the end of a window', async () => {
    let now = 0
    const limiter = new RateLimiter({ now: () => now }, new MemoryWindows())
    const allowedOf = async (count: number) => {
      const results = await Promise.all(Array.from({ length: count }, () => limiter.consume(RATE)))
      return results.filter(({ isAllowed }) => isAllowed).length
    }
    assert.equal(await allowedOf(1), 1)
    now = 59_000
    assert.equal(await allowedOf(29), 29)
    now = 60_000
    // The first request left the window; the others stay in it for another minute.
    assert.equal(await allowedOf(30), 1)
  })

  it('never allows more than the limit within a window', async () => {
    const steps = fc.array(fc.tuple(fc.nat(40_000), fc.integer({ min: 1, max: 8 })))
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (arrivals, limit) => {
        let now = 0
        const limiter = new RateLimiter({ now: () => now }, new MemoryWindows())
        const allowedAt: number[] = []
        for (const [waitMs, count] of arrivals) {
          now += waitMs
          const results = await Promise.all(
            Array.from({ length: count }, () => limiter.consume({ ...RATE, limit })),
          )
          for (const { isAllowed } of results) if (isAllowed) allowedAt.push(now)
        }
        // Requests leave by seconds.
        const isTogether = (one: number, other: number) => other - one < RATE.windowMs - 1_000
        for (const [i, first] of allowedAt.entries()) {
          const together = allowedAt.slice(i).filter((other) => isTogether(first, other))
          assert.ok(together.length <= limit, `${together.length} of ${limit}`)
        }
      }),
    )
  })

  it('allows what it refused, once it says so', async () => {
    const steps = fc.array(fc.tuple(fc.nat(40_000), fc.integer({ min: 1, max: 8 })))
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (arrivals, limit) => {
        let now = 0
        const limiter = new RateLimiter({ now: () => now }, new MemoryWindows())
        for (const [waitMs, count] of arrivals) {
          now += waitMs
          await Promise.all(
            Array.from({ length: count }, () => limiter.consume({ ...RATE, limit })),
          )
        }
        const last = await limiter.consume({ ...RATE, limit })
        if (last.isAllowed) return
        assert.ok(last.resetSeconds <= 60)
        now += last.resetSeconds * 1_000
        assert.ok((await limiter.consume({ ...RATE, limit })).isAllowed)
      }),
    )
  })
})

function recorded(counter: WindowCounter) {
  const asked: (readonly RateAddition[])[] = []
  const recording: WindowCounter = {
    add: async (additions) => {
      asked.push(additions)
      return counter.add(additions)
    },
    deleteEnded: async (now) => counter.deleteEnded(now),
  }
  return { asked, counter: recording }
}
