import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'
import { IdleChecks } from './idle.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand: tests need fixed ids.

/** Idle checks whose checks a test ends by hand. */
function manualIdle(verified: readonly string[] = []) {
  const checks: { mailId: string; end: () => void }[] = []
  const errors: unknown[] = []
  const idle = new IdleChecks({
    listMissing: async (mailIds) =>
      mailIds
        .filter((mailId) => !verified.includes(mailId))
        .map((mailId) => ({ mailId, accountId: ALICE })),
    check: ({ mailId }) => new Promise((end) => checks.push({ mailId, end })),
    onError: (error) => errors.push(error),
  })
  return {
    idle,
    errors,
    checked: () => checks.map(({ mailId }) => mailId),
    endAll: async () => {
      for (const { end } of checks) end()
      await nextTurn()
    },
  }
}

const ids = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => `m${first + i}`)

describe('checks in idle time', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('begin when no mail arrived for a second, with the newest', async () => {
    const { idle, checked, endAll } = manualIdle()
    idle.add(ids(1, 10))
    mock.timers.tick(900)
    idle.add(['m11'])
    mock.timers.tick(900)
    await nextTurn()
    assert.deepEqual(checked(), [])
    mock.timers.tick(100)
    await nextTurn()
    assert.deepEqual(checked(), ids(4, 11))
    await endAll()
    assert.deepEqual(checked().slice(8), ids(1, 3))
  })

  it('pause while mail arrives', async () => {
    const { idle, checked, endAll } = manualIdle()
    idle.add(ids(1, 10))
    mock.timers.tick(1_000)
    await nextTurn()
    idle.add(['m11'])
    await endAll()
    assert.equal(checked().length, 8)
    mock.timers.tick(1_000)
    await nextTurn()
    assert.deepEqual(checked().slice(8), ['m1', 'm2', 'm11'])
  })

  it('skip what was checked meanwhile', async () => {
    const { idle, checked } = manualIdle(['m2'])
    idle.add(ids(1, 3))
    mock.timers.tick(1_000)
    await nextTurn()
    assert.deepEqual(checked(), ['m1', 'm3'])
  })

  it('do not begin after the stop', async () => {
    const { idle, checked, errors } = manualIdle()
    idle.add(ids(1, 3))
    idle.stop()
    mock.timers.tick(10_000)
    await nextTurn()
    assert.deepEqual([checked(), errors], [[], []])
  })
})
