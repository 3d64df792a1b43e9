import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lowerPriority } from './priority.ts'

/** The nice value after that; a lower one is refused, as to an ordinary user. */
function lowered(from: number, steps: number): number {
  let niceValue = from
  const setPriority = (value: number) => {
    if (value < niceValue) throw new Error('EACCES')
    niceValue = value
  }
  // Both are called without the id of a process.
  const os = { getPriority: () => niceValue, setPriority: setPriority as never }
  lowerPriority(os, steps)
  return niceValue
}

describe('lowering the priority', () => {
  for (const [from, steps, result] of [
    [0, 10, 10],
    [-15, 10, -5],
    [5, 10, 15],
    [15, 10, 19],
    [19, 10, 19],
  ] as const) {
    it(`leads from ${from} to ${result} by ${steps} steps`, () => {
      assert.equal(lowered(from, steps), result)
    })
  }
})
