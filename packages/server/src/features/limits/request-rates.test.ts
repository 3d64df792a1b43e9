import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Caller } from '../accounts/authenticate.ts'
import { PLANS } from '../rules/plans.ts'
import { MemoryWindows } from './memory-windows.ts'
import { consumeRegistration, consumeRequest } from './request-rates.ts'

/** Counts requests of one account at the times that a test sets. */
function givenRate(limit = 30) {
  const clock = { ms: 5_000, now: () => clock.ms }
  const limitsOf = () => ({ ...PLANS.key_only, requestsPerMinute: limit })
  const deps = { clock, rateWindows: new MemoryWindows(), limitsOf }
  // Only the account and the plan of a caller matter here.
  const caller = { accountId: 'acc_1', plan: 'key_only' } as Caller
  const consume = async () => {
    const rate = await consumeRequest(deps, caller)
    assert.ok(rate)
    return { ...rate, isAllowed: rate.refusal === null }
  }
  const burst = (count: number) => Promise.all(Array.from({ length: count }, consume))
  const allowedOf = async (count: number) =>
    (await burst(count)).filter(({ isAllowed }) => isAllowed).length
  return { clock, consume, burst, allowedOf }
}

describe('requests', () => {
  it('are allowed up to the limit, however many come at the same time', async () => {
    const rates = await givenRate().burst(100)
    const allowed = rates.filter(({ isAllowed }) => isAllowed)
    assert.deepEqual(
      allowed.map(({ remaining }) => remaining),
      Array.from({ length: 30 }, (_, i) => 29 - i),
    )
    assert.ok(rates.slice(30).every(({ remaining }) => remaining === 0))
  })

  it('begin a window after the last one has ended, and are told when it ends', async () => {
    const { clock, consume } = givenRate(1)
    assert.equal((await consume()).resetSeconds, 60)
    clock.ms += 59_001
    const refused = await consume()
    assert.deepEqual([refused.isAllowed, refused.resetSeconds], [false, 1])
    clock.ms += 998
    assert.equal((await consume()).isAllowed, false)
    clock.ms += 1
    assert.equal((await consume()).isAllowed, true)
    clock.ms += 1_000_000
    assert.equal((await consume()).resetSeconds, 60)
  })

  it('that are refused lengthen no window and do not count in the next', async () => {
    const { clock, allowedOf } = givenRate()
    assert.equal(await allowedOf(30), 30)
    for (let second = 0; second < 59; second++) {
      clock.ms += 1_000
      assert.equal(await allowedOf(10), 0)
    }
    clock.ms += 1_000
    assert.equal(await allowedOf(40), 30)
  })

  it('are allowed again when a clock is set back by more than a window', async () => {
    const { clock, consume } = givenRate(1)
    clock.ms = 1_000_000
    await consume()
    clock.ms -= 30_000
    const refused = await consume()
    // Not 90: such a clock may be that of another node, which is some milliseconds behind.
    assert.deepEqual([refused.isAllowed, refused.resetSeconds], [false, 60])
    clock.ms -= 30_001
    assert.equal((await consume()).isAllowed, true)
  })

  it('that are refused are allowed when they are told', async () => {
    const steps = fc.array(fc.tuple(fc.nat(40_000), fc.integer({ min: 1, max: 8 })))
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (arrivals, limit) => {
        const { clock, consume, burst } = givenRate(limit)
        for (const [waitMs, count] of arrivals) {
          clock.ms += waitMs
          await burst(count)
        }
        const { isAllowed, resetSeconds } = await consume()
        if (isAllowed) return
        clock.ms += resetSeconds * 1_000
        assert.ok((await consume()).isAllowed)
      }),
    )
  })
})

describe('registrations', () => {
  it('are limited on this machine too, a thousand times as high', async () => {
    const deps = {
      clock: { now: () => 1 },
      rateWindows: new MemoryWindows(),
      limitsOf: () => PLANS.key_only,
      registrationsPerHour: 2,
    }
    const allowed = async (addresses: readonly string[], count: number) => {
      let allowedCount = 0
      for (let i = 0; i < count; i++) {
        const address = addresses[i % addresses.length] ?? ''
        const { refusal } = await consumeRegistration(deps, address)
        allowedCount += refusal === null ? 1 : 0
      }
      return allowedCount
    }
    assert.equal(await allowed(['192.0.2.1'], 5), 2)
    assert.equal(await allowed(['127.0.0.1', '::1', '127.9.9.9'], 2_005), 2_000)
  })
})
