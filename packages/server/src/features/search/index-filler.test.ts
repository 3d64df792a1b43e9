import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { IndexFiller } from './index-filler.ts'

/** A filler over some messages, added in batches of one. */
function fillerOf(state: { left: number; error?: Error; locked?: number }) {
  const errors: unknown[] = []
  const filler = new IndexFiller({
    fill: async () => {
      if (state.error !== undefined) throw state.error
      if (state.locked !== undefined && state.locked > 0) {
        state.locked -= 1
        return 'locked'
      }
      if (state.left > 0) state.left -= 1
      return state.left > 0 ? 'more' : 'nothing'
    },
    onError: (error) => errors.push(error),
  })
  return { filler, errors }
}

/** Lets timers and what follows them run for so long. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    mock.timers.tick(10)
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
}

describe('filling the index', () => {
  it('waits until no mail arrives, then adds all', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const state = { left: 5 }
      const { filler } = fillerOf(state)
      for (let at = 0; at < 900; at += 100) {
        filler.stored(at)
        await pass(100)
      }
      assert.equal(state.left, 5)
      await pass(1_000)
      assert.equal(state.left, 0)
      await filler.stop()
    } finally {
      mock.timers.reset()
    }
  })

  it('does not stand still while mail arrives all the time', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const state = { left: 100 }
      const { filler } = fillerOf(state)
      for (let at = 0; at <= 5_000; at += 100) {
        filler.stored(at)
        await pass(100)
      }
      assert.equal(state.left, 95)
      await filler.stop()
    } finally {
      mock.timers.reset()
    }
  })

  it('tries again every 100 ms while messages are being deleted', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const state = { left: 2, locked: 10 }
      const { filler } = fillerOf(state)
      filler.stored(0)
      await pass(300 + 550)
      assert.deepEqual(state, { left: 2, locked: 4 })
      await pass(600)
      assert.deepEqual(state, { left: 0, locked: 0 })
      await filler.stop()
    } finally {
      mock.timers.reset()
    }
  })

  it('goes on after an error, and not after it was stopped', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const state: { left: number; error?: Error } = { left: 2, error: new Error('full') }
      const { filler, errors } = fillerOf(state)
      filler.stored(0)
      await pass(500)
      assert.deepEqual(errors, [state.error])
      delete state.error
      filler.stored(1)
      await pass(500)
      assert.equal(state.left, 0)
      state.left = 2
      await filler.stop()
      filler.stored(2)
      await pass(500)
      assert.equal(state.left, 2)
    } finally {
      mock.timers.reset()
    }
  })
})
