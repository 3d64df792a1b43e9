import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createIds } from '../../platform/ids.ts'
import { earlierId } from '../../sortable-id.ts'
import { LATE_MS, StageCursor } from './stage-cursor.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

const idAt = (ms: number) => createIds({ now: () => ms }).next('diagnostic')

/** Events of these ids, as a query of those after the cursor returns them. */
function read(cursor: StageCursor, ids: readonly string[]) {
  const found = ids.filter((id) => id > cursor.after).sort()
  return cursor.newSince(found.map((id) => ({ id }))).map(({ id }) => id)
}

describe('a cursor over the stages of an inbox', () => {
  it('tells each once, whatever the order in which they appear', () => {
    const cursor = new StageCursor('')
    const early = idAt(NOW - LATE_MS)
    const [first, second] = [idAt(NOW), idAt(NOW)].sort()
    const appeared = [String(second)]
    assert.deepEqual(read(cursor, appeared), [second])
    assert.deepEqual(read(cursor, appeared), [])
    appeared.push(String(first), early)
    assert.deepEqual(read(cursor, appeared), [early, first])
    assert.deepEqual(read(cursor, appeared), [])
  })

  it('reads and remembers only what is about as new as the newest', () => {
    const cursor = new StageCursor('')
    const [old, next] = [idAt(NOW), idAt(NOW + 1)]
    read(cursor, [old])
    const newest = idAt(NOW + 1 + LATE_MS)
    assert.deepEqual(read(cursor, [old, newest]), [newest])
    assert.ok(cursor.after > old && cursor.after < next)
    assert.deepEqual(read(cursor, [old, next, newest]), [next])
  })

  it('never tells what was there before its start', () => {
    const start = idAt(NOW)
    const cursor = new StageCursor(start)
    const event = idAt(NOW + 1)
    assert.deepEqual(read(cursor, [idAt(NOW - 1), event]), [event])
    assert.equal(cursor.after, start)
    assert.deepEqual(read(cursor, []), [])
    assert.deepEqual(read(cursor, [event]), [])
  })

  it('takes the time from an id alone', () => {
    const { at } = createIds({ now: () => NOW })
    assert.equal(earlierId(idAt(NOW), 5_000), at('diagnostic', NOW - 5_000))
    assert.equal(earlierId(at('diagnostic', 3), 5_000), at('diagnostic', 0))
    for (const other of ['', 'dia_', 'x', 'dia_UUUUUUUUUUUUUUUU']) {
      assert.equal(earlierId(other, 5_000), other)
    }
  })
})
