import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstOfMonth, lastDays, nextDayStart, nextMonthStart, utcDay } from './calendar.ts'

describe('the UTC calendar', () => {
  const newYearsEve = Date.UTC(2026, 11, 31, 23, 59, 59, 999)

  it('knows the day and the month of an instant', () => {
    assert.equal(utcDay(newYearsEve), '2026-12-31')
    assert.equal(utcDay(newYearsEve + 1), '2027-01-01')
    assert.equal(firstOfMonth(newYearsEve), '2026-12-01')
  })

  it('knows when the next day and the next month begin', () => {
    assert.equal(nextDayStart(newYearsEve), newYearsEve + 1)
    assert.equal(nextMonthStart(newYearsEve), Date.UTC(2027, 0, 1))
    assert.equal(nextMonthStart(Date.UTC(2027, 0, 1)), Date.UTC(2027, 1, 1))
  })

  it('lists the last days across a month that is short', () => {
    const marchFirst = Date.UTC(2027, 2, 1, 12)
    assert.deepEqual(lastDays(marchFirst, 3), ['2027-02-27', '2027-02-28', '2027-03-01'])
  })
})
