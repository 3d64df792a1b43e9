import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../../../test/testing-databases.ts'
import { ALICE, givenInbox, NOW } from '../../../test/testing-store.ts'
import { startTcpProxy } from '../../../test/testing-tcp-proxy.ts'
import { StorageUnavailable } from '../../errors.ts'
import { openStore, type Store } from '../open.ts'

/** About 7 s on a machine with nothing else to do; TCP alone would take a quarter of an hour. */
const GIVEN_UP_MS_MAX = 60_000

async function givenOwnedInbox(store: Store) {
  const email = 'alice@example.com'
  await store.accounts.add({ id: ALICE, email, name: null, plan: 'unlimited', createdAt: NOW })
  return (await givenInbox(store, { owner: ALICE })).id
}

onEachDatabase('connections to the database', (create, name) => {
  if (name !== 'PostgreSQL') return

  const bound = { timeout: 2 * GIVEN_UP_MS_MAX }

  it('are given up when they go silent, and so are their locks', bound, async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    const silent = await openStore({ url: proxy.url, exclusive: false })
    const other = await openStore({ url: database.url, exclusive: false })
    const inboxId = await givenOwnedInbox(other)
    const startedAt = performance.now()
    const stuck = silent.transaction(async (tx) => {
      await tx.receiving.lockInboxes([inboxId])
      proxy.failAll('silence')
      await tx.operator.databaseTime()
    })
    await assert.rejects(stuck, StorageUnavailable)
    // Another connection is opened.
    await silent.ping()
    // The server has ended the transaction that went silent, or does so soon.
    const locked = async () => other.transaction((tx) => tx.receiving.lockInboxes([inboxId]))
    assert.equal((await locked().catch(locked)).length, 1)
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < GIVEN_UP_MS_MAX, `given up after ${Math.round(tookMs)} ms`)
    await silent.close()
    await other.close()
  })

  it('do not wait for a locked row for more than seconds', bound, async () => {
    await using database = await create()
    const store = await openStore({ url: database.url, exclusive: false })
    const inboxId = await givenOwnedInbox(store)
    await store.transaction(async (tx) => {
      await tx.receiving.lockInboxes([inboxId])
      const second = store.transaction((other) => other.receiving.lockInboxes([inboxId]))
      await assert.rejects(second, StorageUnavailable)
    })
    await store.close()
  })

  it('do not wait for a slow statement for more than seconds', bound, async () => {
    await using database = await create()
    const store = await openStore({ url: database.url, exclusive: false })
    await assert.rejects(store.execute('select pg_sleep(60)'), StorageUnavailable)
    await store.close()
  })
})
