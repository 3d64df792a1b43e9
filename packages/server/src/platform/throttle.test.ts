import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Throttle } from './throttle.ts'

function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const passed: number[] = []
  return { passed, throttle: new Throttle<number>(1_000, (value) => passed.push(value)) }
}

describe('a throttle', () => {
  it('passes the first value at once, and the newest of the others at the end', (t) => {
    const { passed, throttle } = start(t)
    for (const value of [1, 2, 3]) throttle.add(value)
    assert.deepEqual(passed, [1])
    t.mock.timers.tick(999)
    assert.deepEqual(passed, [1])
    t.mock.timers.tick(1)
    assert.deepEqual(passed, [1, 3])
    throttle.add(4)
    assert.deepEqual(passed, [1, 3])
    t.mock.timers.tick(1_000)
    assert.deepEqual(passed, [1, 3, 4])
  })

  it('passes a value at once after a while without any', (t) => {
    const { passed, throttle } = start(t)
    throttle.add(1)
    t.mock.timers.tick(1_000)
    throttle.add(2)
    assert.deepEqual(passed, [1, 2])
  })

  it('passes nothing on after it has stopped', (t) => {
    const { passed, throttle } = start(t)
    throttle.add(1)
    throttle.add(2)
    throttle.stop()
    t.mock.timers.tick(2_000)
    assert.deepEqual(passed, [1])
  })
})
