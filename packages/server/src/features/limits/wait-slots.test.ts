import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALICE } from '../../../test/testing-store.ts'
import { ServiceError } from '../../errors.ts'
import { PLANS } from '../rules/plans.ts'
import { MemorySlots } from './slots.ts'
import { takeWaitSlot } from './wait-slots.ts'

describe('takeWaitSlot', () => {
  const caller = (plan: 'key_only' | 'unlimited') =>
    // Only the account and the plan of a caller matter here.
    ({ accountId: ALICE, plan }) as Parameters<typeof takeWaitSlot>[1]
  const deps = () => ({
    slots: new MemorySlots(),
    limitsOf: (plan: 'key_only' | 'connected' | 'unlimited') => PLANS[plan],
  })

  it('refuses past the plan, and gives back however the wait ends', async () => {
    const shared = deps()
    const wait = async (body: () => Promise<void>) => {
      await using _slot = await takeWaitSlot(shared, caller('key_only'))
      await body()
    }
    await assert.rejects(
      wait(() => wait(() => wait(async () => {}))),
      (error) => {
        assert.ok(error instanceof ServiceError)
        assert.equal(error.code, 'concurrent_waits_exceeded')
        assert.equal(error.detail.retryAfterSeconds, 1)
        return true
      },
    )
    await assert.rejects(
      wait(async () => {
        throw new Error('gone')
      }),
      /gone/,
    )
    await wait(() => wait(async () => {}))
  })

  it('does not count where nothing limits', async () => {
    const shared = deps()
    const slots = await Promise.all(
      Array.from({ length: 100 }, () => takeWaitSlot(shared, caller('unlimited'))),
    )
    assert.equal(slots.length, 100)
  })
})
