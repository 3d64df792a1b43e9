import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { calibrated, interpolate } from './calibration.ts'
import { CALIBRATION } from './calibration-table.ts'

describe('the table of calibration', () => {
  it('rises from 0 to 1,000', () => {
    assert.deepEqual(CALIBRATION[0], [0, 0])
    assert.deepEqual(CALIBRATION.at(-1), [1000, 1000])
    for (const [at, [said, right]] of CALIBRATION.slice(1).entries()) {
      const [saidBefore, rightBefore] = CALIBRATION[at] ?? [1000, 1000]
      assert.ok(said > saidBefore && right >= rightBefore, `${said}: ${right}`)
    }
  })

  it('gives two equal candidates at most one half each', () => {
    assert.ok(calibrated(0.5) <= 0.5)
  })
})

describe('a value between two entries', () => {
  const table = [
    [0, 0],
    [0.8, 0.6],
    [1, 1],
  ] as const

  it('is in proportion to both', () => {
    assert.equal(interpolate(table, 0.4), 0.3)
    assert.ok(Math.abs(interpolate(table, 0.9) - 0.8) < 1e-9)
  })

  it('is that of an entry at the entry', () => {
    assert.equal(interpolate(table, 0), 0)
    assert.equal(interpolate(table, 0.8), 0.6)
    assert.equal(interpolate(table, 1), 1)
  })
})
