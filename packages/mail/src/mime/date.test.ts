import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseMailDate } from './date.ts'

describe('dates', () => {
  const cases: readonly (readonly [value: string, iso: string | null])[] = [
    ['Tue, 3 Mar 2026 10:15:30 +0000', '2026-03-03T10:15:30.000Z'],
    ['3 Mar 2026 10:15:30 +0000', '2026-03-03T10:15:30.000Z'],
    ['Tue, 03 Mar 2026 10:15 -0500', '2026-03-03T15:15:00.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 GMT', '2026-03-03T10:15:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 PDT', '2026-03-03T17:15:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 K', '2026-03-03T10:15:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:30', '2026-03-03T10:15:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 +0530 (IST)', '2026-03-03T04:45:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 GMT+0100', '2026-03-03T09:15:30.000Z'],
    ['Tue,3 March 2026 10:15:30 +00:30', '2026-03-03T09:45:30.000Z'],
    ['tuesday, 3-MAR-26 10:15:30 UT', '2026-03-03T10:15:30.000Z'],
    ['Fri, 3 Mar 99 10:15:30 Z', '1999-03-03T10:15:30.000Z'],
    ['3 Mar 126 10:15:30 Z', '2026-03-03T10:15:30.000Z'],
    ['Tue, 3 Mar 2026 10:15:60 +0000', '2026-03-03T10:15:59.000Z'],
    ['Tue, 3 Mar 2026 10:15:30 PM +0000', '2026-03-03T22:15:30.000Z'],
    ['Tue Mar  3 10:15:30 2026', '2026-03-03T10:15:30.000Z'],
    ['Tue Mar 3 10:15:30 EST 2026', '2026-03-03T15:15:30.000Z'],
    ['2026-03-03T10:15:30Z', '2026-03-03T10:15:30.000Z'],
    ['2026-03-03 10:15:30.123 +0100', '2026-03-03T09:15:30.000Z'],
    ['29 Feb 2024 00:00:00 +0000', '2024-02-29T00:00:00.000Z'],
    ['29 Feb 2026 00:00:00 +0000', null],
    ['32 Mar 2026 00:00:00 +0000', null],
    ['3 Foo 2026 00:00:00 +0000', null],
    ['3 Mar 2026 25:00:00 +0000', null],
    ['2026-13-03T10:15:30Z', null],
    ['Tue, 3 Mar 2026 10:15:30 constructor', '2026-03-03T10:15:30.000Z'],
    ['31 Dec 9999 23:59:59 -1200', null],
    ['9999-12-31T23:59:59-12:00', null],
    ['now', null],
    ['', null],
  ]
  for (const [value, iso] of cases) {
    it(`reads ${value}`, () => assert.equal(parseMailDate(value), iso))
  }

  it('gives back every moment that toUTCString writes', () => {
    const date = fc.date({
      min: new Date('1970-01-01'),
      max: new Date('2199-12-31'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, (moment) => {
        const seconds = new Date(Math.floor(moment.getTime() / 1_000) * 1_000)
        assert.equal(parseMailDate(moment.toUTCString()), seconds.toISOString())
      }),
    )
  })

  it('answers for any string', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseMailDate(text)
        assert.ok(parsed === null || !Number.isNaN(Date.parse(parsed)))
      }),
    )
  })
})
