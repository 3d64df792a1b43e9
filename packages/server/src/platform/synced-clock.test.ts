import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SyncedClock } from './synced-clock.ts'

/** A clock, and the clock that it follows; a question takes as long as `answerMs` says. */
function given() {
  const other = { now: 1_000_000, answerMs: [10] }
  let elapsedMs = 5_000
  const pass = (ms: number) => {
    elapsedMs += ms
    other.now += ms
  }
  const clock = new SyncedClock(
    async () => {
      const answerMs = other.answerMs.length > 1 ? other.answerMs.shift() : other.answerMs[0]
      pass((answerMs ?? 0) / 2)
      const { now } = other
      pass((answerMs ?? 0) / 2)
      return now
    },
    () => elapsedMs,
  )
  return { clock, other, pass }
}

describe('a synced clock', () => {
  it('goes with the clock that it asked', async () => {
    const { clock, other, pass } = given()
    await clock.start()
    assert.equal(clock.now(), other.now)
    pass(60_000)
    assert.equal(clock.now(), other.now)
  })

  it('follows a change, and ignores what a slow answer explains', async () => {
    const { clock, other } = given()
    await clock.start()
    other.now += 4
    await clock.sync()
    assert.equal(clock.now(), other.now - 4)
    other.now += 600_000
    await clock.sync()
    assert.equal(clock.now(), other.now)
    other.now -= 600_000
    await clock.sync()
    assert.equal(clock.now(), other.now)
  })

  it('trusts the quickest of its first answers', async () => {
    const { clock, other } = given()
    other.answerMs = [3_000, 2, 4_000, 10]
    await clock.start()
    assert.equal(clock.now(), other.now)
  })
})
