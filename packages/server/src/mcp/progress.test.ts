import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withProgress } from './progress.ts'

it('tells at once and every five seconds, until the work is done', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const reported: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  const working = withProgress(
    {
      report: async (progress) => void reported.push(progress),
      elapsedMs: () => now,
      totalSeconds: 60,
      message: 'waiting',
    },
    () => promise,
  )
  const pass = (ms: number) => {
    now += ms
    context.mock.timers.tick(ms)
  }
  pass(5_000)
  pass(5_000)
  resolve('done')
  assert.equal(await working, 'done')
  pass(5_000)
  assert.deepEqual(reported, [
    { progress: 0, total: 60, message: 'waiting' },
    { progress: 5, total: 60, message: 'waiting' },
    { progress: 10, total: 60, message: 'waiting' },
  ])
})

it('goes on when the client is gone, and reports nothing unasked', async () => {
  const options = { elapsedMs: () => 0, totalSeconds: null, message: 'waiting' }
  const report = async () => {
    throw new Error('the client is gone')
  }
  assert.equal(await withProgress({ ...options, report }, async () => 1), 1)
  assert.equal(await withProgress({ ...options, report: null }, async () => 2), 2)
})
