import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../test/testing-until.ts'
import { parseConfig } from '../config/config.ts'
import { startReceivingThreads } from './receiving-host.ts'

/** Behaves as its host name says. */
const FILE = new URL('../../test/testing-receiving-thread.ts', import.meta.url)

async function startThreads(hostName: string, count = 1) {
  const crashes: string[] = []
  const receiving = await startReceivingThreads({
    options: {
      config: parseConfig({}),
      hostName,
      operatorAddress: '',
      catchAllOwner: null,
      port: 0,
      tls: null,
    },
    count,
    createUsageMemory: () => new SharedArrayBuffer(4),
    signalsName: 'test',
    clockMemory: null,
    onCrash: (error) => crashes.push(error instanceof Error ? error.message : String(error)),
    file: FILE,
  })
  return { receiving, crashes }
}

describe('the receiving threads', { timeout: 60_000 }, () => {
  it('are started again after a crash', async () => {
    const { receiving, crashes } = await startThreads('crash', 2)
    await assert.rejects(receiving.check(), /the thread ended/)
    await assert.rejects(receiving.check(), /is being started again/)
    // Both have crashed; a check that reaches a thread again crashes it again.
    await until(async () => {
      const error = await receiving.check().catch((reason: Error) => reason.message)
      return error?.includes('the thread ended') === true ? true : null
    })
    assert.ok(crashes.length >= 2)
    assert.ok(crashes.every((message) => message === 'the thread ended'))
    await receiving.stop(0)
  })

  it('reject the start of the service with the code of their error', async () => {
    await assert.rejects(startThreads('unable'), { message: 'in use', code: 'EADDRINUSE' })
  })

  it('say what they find when they are checked', async () => {
    const { receiving: failing } = await startThreads('failing')
    await assert.rejects(failing.check(), /no storage/)
    await failing.stop(0)
    const { receiving: good } = await startThreads('good')
    await good.check()
    await good.stop(0)
  })

  it('hold no shutdown when they are dead or do not respond', async () => {
    for (const hostName of ['crash', 'deaf']) {
      const { receiving } = await startThreads(hostName)
      await receiving.check().catch(() => {})
      const stoppingAt = performance.now()
      await receiving.stop(0)
      assert.ok(performance.now() - stoppingAt < 8_000, hostName)
    }
  })
})
