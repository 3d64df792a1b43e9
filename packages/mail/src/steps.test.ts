import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runSteps, runTogether, type Steps } from './steps.ts'

/** Work that notes each of its steps. */
function* noting(name: string, steps: number, notes: string[]): Steps<string> {
  for (let step = 1; step < steps; step += 1) {
    notes.push(`${name}${step}`)
    yield
  }
  notes.push(`${name}${steps}`)
  return name.toUpperCase()
}

describe('steps of one mail', () => {
  it('are all done', () => {
    const notes: string[] = []
    assert.equal(runSteps(noting('a', 3, notes)), 'A')
    assert.deepEqual(notes, ['a1', 'a2', 'a3'])
  })
})

describe('steps of several mails', () => {
  it('are done one after the other, each for all mails that have it', () => {
    const notes: string[] = []
    const mails = [noting('a', 2, notes), noting('b', 1, notes), noting('c', 3, notes)]
    assert.deepEqual(runTogether(mails), ['A', 'B', 'C'])
    assert.deepEqual(notes, ['a1', 'b1', 'c1', 'a2', 'c2', 'c3'])
  })

  it('may be those of no mail', () => assert.deepEqual(runTogether([]), []))

  it('end with the error of one', () => {
    function* failing(): Steps<string> {
      yield
      throw new Error('no such step')
    }
    assert.throws(() => runTogether([noting('a', 3, []), failing()]), /no such step/)
  })
})
