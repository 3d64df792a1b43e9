import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import type { Store } from '../../store/open.ts'
import type { DomainRecords } from './records.ts'
import { sweepDomains } from './sweep.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MAIL_HOST = 'mx.mayfly.test'
const SETTINGS = { mailHost: MAIL_HOST, isStopped: () => false }
const PROOF = 'mayfly-verification=c'

/** DNS that says what a test wants, and remembers what it was asked. */
function fakeDns(answers: { txt: readonly string[] | null; mx: string | null }) {
  const asked: string[] = []
  const dns: DomainRecords = {
    txt: async (name) => {
      asked.push(name)
      return answers.txt
    },
    mx: async () => (answers.mx === null ? null : [{ exchange: answers.mx, priority: 10 }]),
  }
  return { asked, answers, dns }
}

async function givenActive(store: Store, domain: string): Promise<void> {
  const claimed = await store.domains.add(ALICE, { domain, challenge: 'c', createdAt: NOW })
  assert.ok(claimed !== null)
  const active = { ...claimed, state: 'active' as const, verifiedAt: NOW, activeAt: NOW }
  await store.domains.update({ ...active, unprovenSince: null }, NOW + DAY_MS)
}

describeEachDatabase('the sweep of custom domains', (open) => {
  const sweeper = async () => {
    const store = await open()
    const time = { now: NOW }
    const world = fakeDns({ txt: [PROOF], mx: MAIL_HOST })
    const sweep = () =>
      sweepDomains({ ...SETTINGS, store, clock: { now: () => time.now }, dns: world.dns })
    const find = () => store.domains.find(ALICE, 'a.example')
    return { store, time, world, sweep, find }
  }

  it('looks at each domain once a day, on however many nodes', async () => {
    const { store, time, world, sweep } = await sweeper()
    for (let i = 0; i < 25; i++) await givenActive(store, `d${i}.example`)
    time.now = NOW + DAY_MS - 1
    assert.equal((await sweep()).checked, 0)
    time.now += 1
    const swept = await Promise.all([sweep(), sweep(), sweep()])
    assert.equal(
      swept.reduce((sum, { checked }) => sum + checked, 0),
      25,
    )
    assert.equal(new Set(world.asked).size, 25)
    assert.equal(world.asked.length, 25)
    assert.equal((await sweep()).checked, 0)
  })

  it('moves nothing while DNS does not answer, and asks again soon', async () => {
    const { store, time, world, sweep, find } = await sweeper()
    await givenActive(store, 'a.example')
    const before = await find()
    time.now = NOW + 30 * DAY_MS
    world.answers.txt = null
    world.answers.mx = 'mx.elsewhere.example'
    assert.equal((await sweep()).checked, 0)
    assert.deepEqual(await find(), before)
    time.now += 10 * MINUTE_MS - 1
    await sweep()
    assert.equal(world.asked.length, 1)
    time.now += 1
    world.answers.txt = [PROOF]
    assert.equal((await sweep()).checked, 1)
    assert.equal((await find())?.state, 'verified')
  })

  it('keeps a domain active while only its MX is unknown', async () => {
    const { store, time, world, sweep, find } = await sweeper()
    await givenActive(store, 'a.example')
    time.now = NOW + DAY_MS
    world.answers.mx = null
    await sweep()
    assert.deepEqual([(await find())?.state, (await find())?.lastCheckedAt], ['active', time.now])
  })

  it('lets a domain lapse whose proof is gone for 7 days, and its inboxes end', async () => {
    const { store, time, world, sweep, find } = await sweeper()
    await givenActive(store, 'a.example')
    const expiresAt = NOW + 30 * DAY_MS
    const inbox = await givenInbox(store, { owner: ALICE, address: 'x@a.example', expiresAt })
    world.answers.txt = []
    for (let day = 1; day <= 7; day++) {
      time.now = NOW + day * DAY_MS
      assert.equal((await sweep()).removed, 0)
    }
    assert.equal((await find())?.state, 'active')
    time.now = NOW + 8 * DAY_MS
    assert.equal((await sweep()).removed, 1)
    assert.equal(await find(), null)
    assert.equal((await store.inboxes.find(ALICE, inbox.id, time.now))?.state, 'expired')
  })

  it('lets the other domains lapse, and checks them, when one cannot be removed', async () => {
    const { store, time, world } = await sweeper()
    for (const domain of ['a.example', 'b.example']) {
      await store.domains.add(ALICE, { domain, challenge: 'c', createdAt: NOW })
    }
    await givenActive(store, 'c.example')
    time.now = NOW + 7 * DAY_MS
    const failure = new Error('it cannot be removed')
    const failing: Store = {
      ...store,
      transaction: (work) =>
        store.transaction((tx) => {
          const inboxes = Object.create(tx.inboxes) as typeof tx.inboxes // Fails for one.
          inboxes.expireOnDomain = async (owner, domain, about) => {
            if (domain === 'a.example') throw failure
            return tx.inboxes.expireOnDomain(owner, domain, about)
          }
          return work({ ...tx, inboxes })
        }),
    }
    const sweep = sweepDomains({
      ...{ ...SETTINGS, store: failing, clock: { now: () => time.now }, dns: world.dns },
    })
    await assert.rejects(sweep, { name: 'AggregateError', errors: [failure] })
    const left = await store.domains.list(ALICE)
    assert.deepEqual(
      left.map(({ domain, lastCheckedAt }) => [domain, lastCheckedAt]),
      [['c.example', time.now]],
    )
    assert.deepEqual(await store.domains.listRemoved(), [{ accountId: ALICE, domain: 'a.example' }])
  })
})
