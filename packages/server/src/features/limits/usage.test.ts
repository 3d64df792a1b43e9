import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId, KeyId } from '@mayfly/contract'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { ALICE, BOB, describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import { startTcpProxy } from '../../../test/testing-tcp-proxy.ts'
import { until } from '../../../test/testing-until.ts'
import { StorageUnavailable } from '../../errors.ts'
import { openStore, type Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { RequestCounter, usageToday } from './usage.ts'

const clock = { now: () => NOW }

// A brand by hand: the key need not exist.
const keyOf = (accountId: AccountId) => `key_${accountId}` as KeyId

async function givenKey(store: Store, accountId: AccountId): Promise<void> {
  await store.keys.add({
    id: keyOf(accountId),
    accountId,
    name: '',
    environment: 'live',
    role: 'admin',
    prefix: 'mf_live_1',
    secretHash: new Uint8Array(32),
    createdAt: NOW,
  })
}

function caller(accountId: AccountId): Caller {
  return {
    accountId,
    keyId: keyOf(accountId),
    keyPrefix: 'mf_live_1',
    role: 'admin',
    environment: 'live',
    plan: 'unlimited',
  }
}

const requestsOf = async (store: Store, requestCounter: RequestCounter) =>
  (await usageToday({ store, clock, requestCounter }, caller(ALICE))).requests

describeEachDatabase('usage', (open, database) => {
  it('is whole at every moment, also while it is being written', async () => {
    const store = await open()
    const counter = new RequestCounter(clock)
    for (let counted = 1; counted <= 100; counted++) {
      counter.count(caller(ALICE))
      const writing = counted % 3 === 0 ? counter.flush(store) : Promise.resolve()
      const reads = await Promise.all([1, 2, 3].map(() => requestsOf(store, counter)))
      assert.deepEqual(reads, [counted, counted, counted])
      await writing
    }
  })

  it('is kept when it could not be written', async () => {
    const store = await open()
    const counter = new RequestCounter(clock)
    counter.count(caller(ALICE))
    const broken = { ...store, transaction: async () => assert.fail('the disk is full') }
    await assert.rejects(counter.flush(broken), /the disk is full/)
    assert.equal(await requestsOf(broken, counter), 0, 'what is stored can be read')
    counter.count(caller(ALICE))
    await counter.flush(store)
    assert.equal(await requestsOf(store, new RequestCounter(clock)), 2)
  })

  it('is kept when there was no space for its commit', async () => {
    const store = await open()
    const counter = new RequestCounter(clock)
    counter.count(caller(ALICE))
    const full: Store = {
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          await work(tx)
          throw new StorageUnavailable('database or disk is full', true)
        }),
    }
    await assert.rejects(counter.flush(full), StorageUnavailable)
    await counter.flush(store)
    assert.equal(await requestsOf(store, new RequestCounter(clock)), 1)
  })

  it('is counted once when the confirmation of its commit was lost', async () => {
    const store = await open()
    const counter = new RequestCounter(clock)
    counter.count(caller(ALICE))
    const unconfirmed: Store = {
      ...store,
      transaction: async (work) => {
        await store.transaction(work)
        throw new StorageUnavailable('Connection terminated', false, true)
      },
    }
    await assert.rejects(counter.flush(unconfirmed), StorageUnavailable)
    counter.count(caller(ALICE))
    await counter.flush(store)
    assert.equal(await requestsOf(store, new RequestCounter(clock)), 2)
  })

  it('is written for the others after an account was purged', async () => {
    const store = await open()
    const counter = new RequestCounter(clock)
    for (const account of [ALICE, BOB]) await givenKey(store, account)
    for (const account of [ALICE, BOB]) counter.count(caller(account))
    await store.operator.deleteAccount(BOB)
    await counter.flush(store)
    assert.equal(await requestsOf(store, new RequestCounter(clock)), 1)
    assert.equal((await store.keys.list(ALICE, 0))[0]?.lastUsedAt, new Date(NOW).toISOString())
  })

  // On SQLite no other transaction runs meanwhile.
  if (database === 'PostgreSQL') {
    it('does not wait for an account that is being purged', async () => {
      const store = await open()
      const counter = new RequestCounter(clock)
      for (const account of [ALICE, BOB]) await givenKey(store, account)
      for (const account of [ALICE, BOB]) counter.count(caller(account))
      await store.transaction(async (tx) => {
        await tx.operator.deleteAccount(BOB)
        await counter.flush(store)
      })
      assert.equal(await requestsOf(store, new RequestCounter(clock)), 1)
    })
  }

  it('adds up over nodes that write for the same accounts at once', async () => {
    const store = await open()
    const nodes = Array.from({ length: 4 }, () => new RequestCounter(clock))
    for (let round = 0; round < 10; round++) {
      for (const [index, node] of nodes.entries()) {
        // Each counts them in another order; that of writing must be one.
        for (const account of index % 2 === 0 ? [ALICE, BOB] : [BOB, ALICE]) {
          node.count(caller(account))
        }
      }
      await Promise.all(nodes.map((node) => node.flush(store)))
    }
    assert.equal(await requestsOf(store, new RequestCounter(clock)), 40)
  })
})

onEachDatabase('usage over a network', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('is counted once when the connection is lost at the commit', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    const store = await openStore({ url: proxy.url, exclusive: false })
    const email = 'alice@example.com'
    await store.accounts.add({ id: ALICE, email, name: null, plan: 'unlimited', createdAt: NOW })
    const counter = new RequestCounter(clock)
    counter.count(caller(ALICE))
    const cut = proxy.failAt('commit', 'cut', 'after')
    await assert.rejects(counter.flush(store), StorageUnavailable)
    await cut
    const stored = () => requestsOf(store, new RequestCounter(clock))
    await until(async () => ((await stored()) === 1 ? true : null))
    counter.count(caller(ALICE))
    await counter.flush(store)
    assert.equal(await stored(), 2)
    await store.close()
  })
})
