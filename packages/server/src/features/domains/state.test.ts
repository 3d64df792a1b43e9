import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DomainState } from '@mayfly/contract'
import { ALICE } from '../../../test/testing-store.ts'
import type { CustomDomain } from '../../store/tables/domains.ts'
import { pointsTo } from './records.ts'
import { afterCheck, nextCheckAt } from './state.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = 100 * DAY_MS

function domain(state: DomainState): CustomDomain {
  return {
    domain: 'qa.example.com',
    accountId: ALICE,
    state,
    challenge: 'c',
    createdAt: 1,
    verifiedAt: state === 'pending' ? null : 2,
    activeAt: state === 'active' ? 3 : null,
    lastCheckedAt: null,
    unprovenSince: state === 'pending' ? 1 : null,
  }
}

describe('a custom domain after a check', () => {
  const cases: readonly [DomainState, boolean, boolean | null, DomainState, number | null][] = [
    // before, TXT found, MX here, after, active since
    ['pending', false, false, 'pending', null],
    ['pending', false, true, 'pending', null],
    ['pending', true, false, 'verified', null],
    ['pending', true, null, 'verified', null],
    ['pending', true, true, 'active', NOW],
    ['verified', false, false, 'verified', null],
    ['verified', false, true, 'verified', null],
    ['verified', true, null, 'verified', null],
    ['verified', true, true, 'active', NOW],
    ['active', true, true, 'active', 3],
    ['active', true, null, 'active', 3],
    ['active', true, false, 'verified', null],
    ['active', false, true, 'active', 3],
    ['active', false, null, 'active', 3],
    ['active', false, false, 'verified', null],
  ]
  for (const [before, isProven, isMailHere, after, activeAt] of cases) {
    it(`${before} is ${after} when TXT ${isProven} and MX ${isMailHere}`, () => {
      const checked = afterCheck(domain(before), { isProven, isMailHere }, NOW)
      assert.equal(checked.state, after)
      assert.equal(checked.activeAt, activeAt)
      assert.equal(checked.lastCheckedAt, NOW)
      assert.equal(checked.unprovenSince === null, isProven)
      assert.equal(checked.verifiedAt === null, after === 'pending')
    })
  }

  it('counts from the first check that missed the proof', () => {
    const once = afterCheck(domain('active'), { isProven: false, isMailHere: true }, NOW)
    const twice = afterCheck(once, { isProven: false, isMailHere: true }, NOW + DAY_MS)
    assert.equal(twice.unprovenSince, NOW)
    const found = afterCheck(twice, { isProven: true, isMailHere: true }, NOW + 2 * DAY_MS)
    assert.equal(found.unprovenSince, null)
  })

  it('is looked at often for a day, then daily', () => {
    const verified = { ...domain('verified'), verifiedAt: NOW }
    assert.equal(nextCheckAt(domain('pending'), NOW), null)
    assert.equal(nextCheckAt(verified, NOW), NOW + 600_000)
    assert.equal(nextCheckAt(verified, NOW + DAY_MS), NOW + 2 * DAY_MS)
    assert.equal(nextCheckAt({ ...verified, state: 'active' }, NOW), NOW + DAY_MS)
  })
})

describe('pointsTo', () => {
  const mx = (exchange: string, priority: number) => ({ exchange, priority })
  const cases: readonly [string, Parameters<typeof pointsTo>[0], boolean][] = [
    ['no MX', [], false],
    ['ours', [mx('mx.mayfly.test', 10)], true],
    ['ours in capitals with a dot', [mx('MX.Mayfly.TEST.', 10)], true],
    ['another', [mx('mx.example.com', 10)], false],
    ['ours first', [mx('mx.mayfly.test', 5), mx('mx.example.com', 10)], true],
    ['ours beside another', [mx('mx.example.com', 5), mx('mx.mayfly.test', 5)], true],
    ['ours behind another', [mx('mx.mayfly.test', 10), mx('mx.example.com', 5)], false],
    ['one that ends alike', [mx('evilmx.mayfly.test', 10)], false],
  ]
  for (const [name, exchangers, expected] of cases) {
    it(`${expected ? 'is true' : 'is false'} for ${name}`, () => {
      assert.equal(pointsTo(exchangers, 'mx.mayfly.test'), expected)
    })
  }
})
