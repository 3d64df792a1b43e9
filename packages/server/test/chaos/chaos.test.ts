import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runChaos } from './run.ts'

describe('nodes under faults', () => {
  // The long form: npm run chaos -- --seeds 50
  it('lose, double and miss nothing', { timeout: 240_000 }, async (test) => {
    const { history, violations } = await runChaos({
      seed: 1,
      durationMs: 10_000,
      nodes: 2,
      holdMsMax: 1_500,
      // Two nodes and a database on a machine that may be busy with other tests.
      recoveryMsMax: 30_000,
      log: (line) => test.diagnostic(line),
    })
    assert.deepEqual(violations, [])
    const acknowledged = history.sends.filter(({ reply }) => reply?.startsWith('250'))
    assert.ok(acknowledged.length > 0 && history.faults.length > 3, 'the test tested nothing')
  })
})
