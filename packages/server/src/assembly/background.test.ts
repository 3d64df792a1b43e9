import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atIntervals } from './background.ts'

describe('calls at intervals', () => {
  it('are made at once, and once more for all within the interval', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    let calls = 0
    const limited = atIntervals(50, () => {
      calls += 1
    })
    const tick = (ms: number) => {
      test.mock.timers.tick(ms)
      return calls
    }
    limited.call()
    assert.equal(calls, 1)
    for (let i = 0; i < 3; i++) limited.call()
    assert.equal(tick(49), 1)
    assert.equal(tick(1), 2)
    assert.equal(tick(500), 2)
    limited.call()
    assert.equal(calls, 3)
    limited.call()
    limited.stop()
    assert.equal(tick(500), 3)
  })
})
