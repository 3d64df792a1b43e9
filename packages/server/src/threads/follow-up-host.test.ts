import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseConfig } from '../config/config.ts'
import { CheckInterrupted } from '../errors.ts'
import { FollowUpThread } from './follow-up-host.ts'

const FILE = new URL('../../test/testing-blocking-thread.ts', import.meta.url)

function startThread(silenceMsMax?: number) {
  const crashes: string[] = []
  const thread = new FollowUpThread(
    { config: parseConfig({}), hostName: 'mx.example', clockMemory: null },
    {
      file: FILE,
      record: async () => {},
      onCrash: (error) => crashes.push(error instanceof Error ? error.message : String(error)),
      ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
    },
  )
  return { thread, crashes, [Symbol.asyncDispose]: () => thread.stop() }
}

describe('the follow-up thread', { timeout: 60_000 }, () => {
  it('is ended when a mail blocks it, and started again by the next check', async () => {
    await using started = startThread(3_000)
    const { thread, crashes } = started
    await thread.check('good')
    const blocked = [thread.check('block'), thread.check('behind it')]
    for (const check of blocked) await assert.rejects(check, CheckInterrupted)
    assert.deepEqual(crashes, ['the thread did not respond for 3000 ms'])
    assert.equal(await thread.check('good'), null)
  })

  it('is started again after a crash', async () => {
    await using started = startThread()
    const { thread, crashes } = started
    await assert.rejects(thread.check('crash'), CheckInterrupted)
    assert.deepEqual(crashes, ['the thread ended'])
    assert.equal(await thread.check('good'), null)
  })

  it('may be busy when it is pinged, but not silent for too long', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    await using busy = startThread()
    busy.thread.stored()
    const pings = [busy.thread.ping(), busy.thread.ping()]
    test.mock.timers.tick(1_000)
    await Promise.all(pings)
    await using silent = startThread(0)
    silent.thread.stored()
    const ping = assert.rejects(silent.thread.ping(), /the thread was stopped/)
    test.mock.timers.tick(1_000)
    await silent.thread.stop()
    await ping
  })

  it('stops at once after a crash, and soon when it is blocked', async () => {
    for (const mailId of ['crash', 'block', 'silent']) {
      await using started = startThread()
      await started.thread.check('good')
      const check = assert.rejects(started.thread.check(mailId), CheckInterrupted)
      if (mailId === 'crash') await check
      const stoppingAt = performance.now()
      await started.thread.stop()
      await check
      assert.ok(performance.now() - stoppingAt < 8_000, mailId)
    }
  })
})
