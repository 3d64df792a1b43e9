import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  NOW,
  untilLockWait,
} from '../../../test/testing-store.ts'
import { ServiceError } from '../../errors.ts'
import { createIds } from '../../platform/ids.ts'
import { type AdmitDeps, admitRecipient } from '../../receiving/admit.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { PLANS } from '../rules/plans.ts'
import { registerDomain } from './register.ts'
import { deleteDomain, finishRemoval } from './remove.ts'
import { sweepDomains } from './sweep.ts'

const DOMAIN = 'a.example'
const clock = { now: () => NOW }

function callerOf(accountId: AccountId): Caller {
  return {
    accountId,
    plan: 'unlimited',
    keyId: 'key_1' as Caller['keyId'], // A brand by hand.
    keyPrefix: 'mf_live_1',
    role: 'admin',
    environment: 'live',
  }
}

async function givenDomain(store: Store, inboxes: number): Promise<void> {
  const claim = { domain: DOMAIN, challenge: 'c', createdAt: NOW }
  const claimed = await store.domains.add(ALICE, claim)
  assert.ok(claimed !== null)
  const active = { ...claimed, state: 'active' as const, verifiedAt: NOW, activeAt: NOW }
  await store.domains.update({ ...active, unprovenSince: null }, NOW + 1)
  if (inboxes === 0) return
  await store.execute(`insert into inbox (id, account_id, address, domain, environment,
    created_at, expires_at) with recursive n(i) as (select 1 union all select i + 1 from n
    where i < ${inboxes}) select 'inb_' || i, '${ALICE}', 'x' || i || '@${DOMAIN}', '${DOMAIN}',
    'live', ${NOW}, ${NOW + 1_000} from n`)
  await store.execute(`insert into address (address, account_id, inbox_id, occupied_until)
    select address, account_id, id, expires_at from inbox`)
}

const deletion = (store: Store, accountId = ALICE) =>
  deleteDomain({ store, clock }, callerOf(accountId), DOMAIN)

const unexpired = (store: Store) => store.inboxes.countOnDomain(DOMAIN, NOW, 10_000)

/** A store whose transactions fail, but for the first ones. */
function failingAfter(store: Store, transactions: number): Store {
  let left = transactions
  return {
    ...store,
    transaction: async (...given) => {
      if (left === 0) throw new Error('crashed')
      left -= 1
      return store.transaction(...given)
    },
  }
}

describeEachDatabase('deleting a domain', (open, database) => {
  /** So many expire in one transaction. */
  const batch = database === 'SQLite' ? 100 : 500
  const inboxes = 2.5 * batch

  it('expires its inboxes in several transactions, and frees the domain', async () => {
    const store = await open()
    await givenDomain(store, inboxes)
    const other = await givenInbox(store, { owner: ALICE, address: 'x@b.example' })
    let transactions = 0
    const counting: Store = {
      ...store,
      transaction: (...given) => {
        transactions += 1
        return store.transaction(...given)
      },
    }
    await assert.rejects(deletion(counting, BOB), { code: 'domain_not_found' })
    await deletion(counting)
    assert.equal(transactions, 3)
    assert.equal(await unexpired(store), 0)
    assert.equal((await store.inboxes.find(ALICE, other.id, NOW))?.state, 'active')
    await assert.rejects(deletion(store), { code: 'domain_not_found' })
    const claim = { domain: DOMAIN, challenge: 'd', createdAt: NOW }
    assert.notEqual(await store.domains.add(BOB, claim), null)
  })

  it('refuses mail from its beginning, as for an inbox that has expired', async () => {
    const store = await open()
    await givenDomain(store, 1)
    await assert.rejects(deletion(failingAfter(store, 0)), /crashed/)
    const told: unknown[] = []
    const deps = {
      ...{ store, clock, ourDomains: [], operatorAddress: 'postmaster@mayfly.test' },
      refusals: { addRefusal: async (refusal: unknown) => void told.push(refusal) },
      findRecipient: (address: string) => store.receiving.findRecipient(address),
      hasStorageQuota: async () => true,
      catchAll: null,
    } as unknown as AdmitDeps // Nothing else of it is used.
    const sender = { mailFrom: 'a@b.example', remoteAddress: '192.0.2.1', user: null }
    const refused = { state: 'refused', why: 'unknown' }
    assert.deepEqual(await admitRecipient(deps, `x1@${DOMAIN}`, sender), refused)
    assert.partialDeepStrictEqual(told, [{ reason: { code: 'inbox_expired', expiredAt: NOW } }])
  })

  it('is finished by the sweep after a crash', async () => {
    const store = await open()
    await givenDomain(store, inboxes)
    await assert.rejects(deletion(failingAfter(store, 1)), /crashed/)
    assert.equal(await unexpired(store), inboxes - batch)
    assert.deepEqual(await store.domains.list(ALICE), [])
    const dns = { txt: async () => null, mx: async () => null }
    let isStopped = true
    const deps = { store, clock, dns, mailHost: 'mx.mayfly.test', isStopped: () => isStopped }
    const sweep = () => sweepDomains(deps)
    assert.deepEqual(await sweep(), { removed: 0, checked: 0 })
    assert.equal(await unexpired(store), inboxes - 2 * batch)
    isStopped = false
    assert.deepEqual(await sweep(), { removed: 1, checked: 0 })
    assert.equal(await unexpired(store), 0)
    assert.deepEqual(await sweep(), { removed: 0, checked: 0 })
  })

  it('is finished by whoever claims the domain next', async () => {
    const store = await open()
    await givenDomain(store, inboxes)
    await assert.rejects(deletion(failingAfter(store, 0)), /crashed/)
    assert.equal(await unexpired(store), inboxes)
    const deps = {
      ...{ store, clock, ids: createIds(clock), mailHost: 'mx.mayfly.test' },
      domains: { public: ['mayfly.test'], private: [] },
      limitsOf: () => PLANS.unlimited,
    }
    const claims = await Promise.allSettled(
      [BOB, ALICE].map((owner) => registerDomain(deps, callerOf(owner), DOMAIN)),
    )
    const refused = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason] : []))
    assert.equal(refused.length, 1)
    assert.ok(refused[0] instanceof ServiceError && refused[0].code === 'domain_registered')
    assert.equal(await unexpired(store), 0)
  })

  it('leaves a domain alone that was claimed again in the meantime', async () => {
    const store = await open()
    await givenDomain(store, 1)
    const removed = { accountId: ALICE, domain: DOMAIN }
    assert.equal(await finishRemoval(store, removed, { now: NOW }), false)
    assert.equal(await unexpired(store), 1)
    assert.notEqual(await store.domains.find(ALICE, DOMAIN), null)
  })

  if (database !== 'PostgreSQL') return

  it('waits for an inbox that is created at the same time', async () => {
    const store = await open()
    await givenDomain(store, 0)
    let deleting: Promise<void> | null = null
    await store.transaction(async (tx) => {
      await tx.accounts.lock(ALICE)
      assert.deepEqual(await tx.domains.listActive(ALICE), [DOMAIN])
      deleting = deletion(store)
      await untilLockWait(store)
      const inbox = { id: createIds(clock).next('inbox'), address: `x@${DOMAIN}`, domain: DOMAIN }
      const times = { createdAt: NOW, expiresAt: NOW + 1_000 }
      await tx.inboxes.add(ALICE, { ...inbox, ...times, environment: 'live', keepMessages: null })
    })
    await deleting
    assert.equal(await unexpired(store), 0)
  })
})
