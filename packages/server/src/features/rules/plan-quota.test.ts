import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requirePlanQuota } from './plan-quota.ts'

describe('requirePlanQuota', () => {
  const cases: readonly [number | null, number, RegExp | null][] = [
    [null, 1_000, null],
    [2, 1, null],
    [2, 2, /includes 2 webhooks\. Delete one first\.$/],
    [1, 1, /includes 1 webhook\. Delete one first\.$/],
    [2, 3, /includes 2 webhooks/],
    [0, 0, /does not include webhooks/],
  ]
  for (const [limit, used, refusal] of cases) {
    it(`${refusal === null ? 'takes' : 'refuses'} one more than ${used} of ${limit}`, () => {
      const ask = () => requirePlanQuota('webhook', { limit, used })
      if (refusal === null) ask()
      else assert.throws(ask, { code: 'plan_limit', message: refusal })
    })
  }
})
