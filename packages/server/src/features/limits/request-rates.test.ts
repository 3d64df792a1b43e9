import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ipv6Groups } from '../../platform/ip-address.ts'
import { MemoryWindows } from './memory-windows.ts'
import { PLANS } from './plans.ts'
import { RateLimiter } from './rate-limiter.ts'
import { consumeRegistration } from './request-rates.ts'

describe('registrations', () => {
  it('are limited on this machine too, a thousand times as high', async () => {
    const deps = {
      rateLimiter: new RateLimiter({ now: () => 1 }, new MemoryWindows()),
      limitsOf: () => PLANS.key_only,
      registrationsPerHour: 2,
      ipv6Groups,
    }
    const allowed = async (addresses: readonly string[], count: number) => {
      let allowedCount = 0
      for (let i = 0; i < count; i++) {
        const address = addresses[i % addresses.length] ?? ''
        allowedCount += (await consumeRegistration(deps, address)).isAllowed ? 1 : 0
      }
      return allowedCount
    }
    assert.equal(await allowed(['192.0.2.1'], 5), 2)
    assert.equal(await allowed(['127.0.0.1', '::1', '127.9.9.9'], 2_005), 2_000)
  })
})
