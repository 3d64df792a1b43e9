import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './time.ts'

it('writes any time as Date does, also across days and before 1970', () => {
  const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
  const near = fc.integer({ min: -200_000_000, max: 200_000_000 })
  fc.assert(
    fc.property(fc.array(fc.oneof(time, near), { minLength: 1 }), (times) => {
      for (const ms of times) assert.equal(isoTime(ms), new Date(ms).toISOString())
    }),
  )
})

it('refuses what is no time', () => {
  assert.throws(() => isoTime(Number.NaN), RangeError)
})
