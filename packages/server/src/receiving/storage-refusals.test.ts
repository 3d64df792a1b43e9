import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageUnavailable } from '../errors.ts'
import { createLog } from '../platform/log.ts'
import { StorageRefusals } from './storage-refusals.ts'

const failure = (message: string, full = false) => new StorageUnavailable(new Error(message), full)

/** A log, and its lines: the number of refusals and the cause of each. */
function createTestLog() {
  const lines: [number, string][] = []
  const write = (line: string) => {
    const { level, refusals, err } = JSON.parse(line)
    assert.equal(level, 'warn')
    lines.push([refusals, err.message.replace(/^.*: /, '')])
  }
  return { lines, log: createLog('info', { write }) }
}

describe('refusals for want of storage', () => {
  it('are logged at once, and then counted for some seconds', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const { lines, log } = createTestLog()
    const refusals = new StorageRefusals(log)
    assert.equal(refusals.reply(failure('deadlock detected')), 'unavailable')
    for (let i = 0; i < 20; i++) refusals.reply(failure('connection refused'))
    assert.equal(refusals.reply(failure('no space left', true)), 'storage_full')
    assert.equal(lines.length, 1)
    test.mock.timers.tick(5_000)
    test.mock.timers.tick(60_000)
    refusals.reply(failure('once more'))
    refusals.reply(failure('the last'))
    refusals.stop()
    test.mock.timers.tick(60_000)
    assert.deepEqual(lines, [
      [1, 'deadlock detected'],
      [21, 'no space left'],
      [1, 'once more'],
      [1, 'the last'],
    ])
  })

  it('throws what the storage is not responsible for', () => {
    const { lines, log } = createTestLog()
    const refusals = new StorageRefusals(log)
    assert.throws(() => refusals.reply(new TypeError('a bug')), /a bug/)
    refusals.stop()
    assert.deepEqual(lines, [])
  })
})
