import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { receivingOptions } from '../../test/testing-receiving-options.ts'
import { StorageUnavailable } from '../errors.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { startMailHandling } from './mail-handling.ts'
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

  it('are logged by the handling of mails', async () => {
    const { lines, log } = createTestLog()
    const fail = async () => {
      throw failure('deadlock detected')
    }
    // Only what looking for a recipient uses.
    const store = { isShared: false, receiving: { findRecipient: fail } } as unknown as Store
    const handling = startMailHandling(
      { store, clock: systemClock, log, signals: { announce: () => {} }, storeMail: fail },
      receivingOptions(),
    )
    const envelope = {
      ...{ mailFrom: '', remoteAddress: '127.0.0.1', helo: '', tls: null, user: null },
      ...{ smtpUtf8: false, declaredSizeBytes: null },
    }
    const admitted = await handling.handler.admit('anna@mayfly.test', envelope)
    assert.deepEqual(admitted, { state: 'refused', why: 'unavailable' })
    await handling.stop()
    assert.deepEqual(lines, [[1, 'deadlock detected']])
  })
})
