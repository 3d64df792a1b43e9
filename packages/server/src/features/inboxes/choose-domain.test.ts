import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PLANS } from '../rules/plans.ts'
import { bestDomain, domainChoices } from './choose-domain.ts'

type Own = Parameters<typeof domainChoices>[2]

const DOMAINS = { public: ['a.test', 'b.test'], private: ['p.test', 'q.test'] }
const keyOnly: Own = { limits: PLANS.key_only, activeCustom: [] }
const connected: Own = { limits: PLANS.connected, activeCustom: ['mine.example'] }

describe('domainChoices', () => {
  const cases: readonly [string | undefined, Own, readonly string[]][] = [
    [undefined, keyOnly, ['a.test']],
    [undefined, connected, ['a.test']],
    ['smart', keyOnly, ['a.test', 'b.test']],
    ['smart', connected, ['p.test', 'q.test']],
    ['b.test', keyOnly, ['b.test']],
    ['q.test', connected, ['q.test']],
    ['mine.example', connected, ['mine.example']],
  ]
  for (const [options, own, choices] of cases) {
    it(`takes ${options} on ${own === keyOnly ? 'key_only' : 'connected'}`, () => {
      assert.deepEqual(domainChoices(options, DOMAINS, own), choices)
    })
  }

  it('refuses the private pool without the right to it, and any unknown domain', () => {
    const refused = (options: string) => () => domainChoices(options, DOMAINS, keyOnly)
    assert.throws(refused('p.test'), { code: 'plan_limit' })
    assert.throws(refused('mine.example'), { code: 'invalid_parameter' })
  })

  it('falls back to the public domains when there is no private pool', () => {
    const none = { ...DOMAINS, private: [] }
    assert.deepEqual(domainChoices('smart', none, connected), DOMAINS.public)
  })
})

describe('bestDomain', () => {
  const load = (domain: string, recentRefusals: number, inboxes: number) => ({
    domain,
    recentRefusals,
    inboxes,
  })

  it('prefers few refusals, then few inboxes, then the order given', () => {
    assert.equal(bestDomain([load('a', 1, 0), load('b', 0, 9)]), 'b')
    assert.equal(bestDomain([load('a', 0, 2), load('b', 0, 1)]), 'b')
    assert.equal(bestDomain([load('a', 0, 1), load('b', 0, 1)]), 'a')
  })
})
