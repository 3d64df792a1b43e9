import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'
import { CheckInterrupted } from '../../errors.ts'
import { CheckQueue } from './queue.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand: tests need fixed ids.
const BOB = 'acc_bob' as AccountId // As above.

/** Checks that a test ends by hand. */
function manualChecks() {
  const running = new Map<string, PromiseWithResolvers<void>>()
  const started: string[] = []
  const givenUp: string[] = []
  const errors: unknown[] = []
  const end = (settle: (check: PromiseWithResolvers<void>) => void, mailIds: readonly string[]) => {
    for (const mailId of mailIds) {
      const check = running.get(mailId)
      assert.ok(check, `${mailId} does not run`)
      running.delete(mailId)
      settle(check)
    }
    return nextTurn()
  }
  const queue = new CheckQueue({
    check: (mailId) => {
      started.push(mailId)
      const check = Promise.withResolvers<void>()
      running.set(mailId, check)
      return check.promise
    },
    giveUp: async (mailId) => {
      givenUp.push(mailId)
    },
    onError: (error) => errors.push(error),
  })
  return {
    queue,
    started,
    givenUp,
    errors,
    running: () => [...running.keys()],
    finish: (...mailIds: string[]) => end((check) => check.resolve(), mailIds),
    fail: (...mailIds: string[]) => end((check) => check.reject(new Error('storage')), mailIds),
    endThread: () =>
      end((check) => check.reject(new CheckInterrupted('ended')), [...running.keys()]),
    add: (accountId: AccountId, ...mailIds: string[]) =>
      mailIds.map((mailId) => queue.add({ mailId, accountId })),
  }
}

describe('the queue of sender checks', () => {
  it('keeps places for other accounts while the checks of one do not end', async () => {
    const checks = manualChecks()
    void checks.add(ALICE, ...Array.from({ length: 50 }, (_, i) => `a${i}`))
    void checks.add(BOB, 'b0')
    assert.deepEqual(checks.running(), ['a0', 'a1', 'a2', 'a3', 'b0'])
    await checks.finish('a0')
    assert.equal(checks.started.at(-1), 'a49', 'the newest of an account is first')
  })

  it('lets accounts take turns', async () => {
    const checks = manualChecks()
    const others = Array.from({ length: 3 }, (_, i) => `acc_${i}` as AccountId) // As above.
    for (const other of others) void checks.add(other, ...[0, 1, 2, 3].map((i) => `${other} ${i}`))
    void checks.add(ALICE, 'a0', 'a1', 'a2', 'a3', 'a4', 'a5')
    void checks.add(BOB, 'b0', 'b1')
    assert.equal(checks.running().length, 16)
    assert.ok(!checks.started.includes('b0'))
    await checks.finish('a0', 'a1')
    assert.deepEqual(checks.started.slice(16), ['a5', 'b1'])
  })

  it('checks a mail once, however often it is looked at', async () => {
    const checks = manualChecks()
    const [first, second] = checks.add(ALICE, 'a0', 'a0')
    assert.equal(first, second)
    await checks.finish('a0')
    await first
    assert.deepEqual(checks.started, ['a0'])
    void checks.add(ALICE, 'a0')
    assert.deepEqual(checks.started, ['a0', 'a0'])
  })

  it('drops the oldest of an account with too many, which may be added again', async () => {
    const checks = manualChecks()
    void checks.add(ALICE, 'r0', 'r1', 'r2', 'r3')
    const [oldest] = checks.add(ALICE, ...Array.from({ length: 1_001 }, (_, i) => `w${i}`))
    await oldest
    void checks.add(ALICE, 'w0')
    await checks.finish('r0')
    assert.equal(checks.started.at(-1), 'w0')
  })

  it('goes on after a failure', async () => {
    const checks = manualChecks()
    const [failed] = checks.add(ALICE, 'a0')
    await checks.fail('a0')
    await failed
    assert.equal(checks.errors.length, 1)
    assert.deepEqual(checks.givenUp, [])
  })

  it('finds the mail that ends the thread, and checks the others', async () => {
    const checks = manualChecks()
    const added = checks.add(ALICE, 'good', 'poison', 'fine')
    await checks.endThread()
    const later = checks.add(BOB, 'later')
    assert.deepEqual(checks.running(), ['good'], 'suspects are checked alone')
    await checks.finish('good')
    assert.deepEqual(checks.running(), ['poison'])
    await checks.endThread()
    assert.deepEqual(checks.givenUp, ['poison'])
    assert.deepEqual(checks.running(), ['fine'])
    await checks.finish('fine')
    assert.deepEqual(checks.running(), ['later'])
    await checks.finish('later')
    await Promise.all([...added, ...later])
    assert.deepEqual(checks.givenUp, ['poison'])
  })

  it('drops what waits when it stops, and gives up nothing', async () => {
    const checks = manualChecks()
    const added = checks.add(ALICE, 'a0', 'a1', 'a2', 'a3', 'a4')
    const stopped = checks.queue.stop()
    await checks.endThread()
    await Promise.all([...added, stopped])
    await checks.queue.add({ mailId: 'a5', accountId: ALICE })
    assert.deepEqual(checks.started, ['a0', 'a1', 'a2', 'a3'])
    assert.deepEqual([checks.givenUp, checks.errors], [[], []])
  })
})
