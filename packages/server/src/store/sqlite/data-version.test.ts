import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createMigratedSqlite } from '../../../test/testing-databases.ts'
import { ALICE, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import { openStore, type Store } from '../open.ts'
import { sqlitePathOf } from './path.ts'

/** Commits a change to the database at its first argument, or at `workerData`. */
const COMMITTER = `
  const { DatabaseSync } = require('node:sqlite')
  const { workerData } = require('node:worker_threads')
  const database = new DatabaseSync(workerData ?? process.argv[1])
  database.exec("update account set name = coalesce(name, '') || 'x'")
  database.close()`

const RENAME = "update account set name = coalesce(account.name, '') || 'x'"

let suspendedAt = NOW

/** Each changes the account; what changes nothing need not be seen. */
const WAYS_TO_WRITE: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ['a statement of a table', (store) => store.operator.setAccountSuspended(ALICE, suspendedAt++)],
  ['a statement as text', (store) => store.execute(RENAME)],
  [
    'a statement that begins with a query',
    (store) => store.execute(`with given(name) as (select 'x') ${RENAME} || given.name from given`),
  ],
  [
    'a transaction',
    (store) => store.transaction((tx) => tx.operator.setAccountSuspended(ALICE, suspendedAt++)),
  ],
]

/** A store, and another connection to the same file. */
async function openTwice() {
  const resources = new AsyncDisposableStack()
  const { url } = resources.use(await createMigratedSqlite())
  const open = async () => {
    const store = await openStore({ url, exclusive: false, isMigrated: true })
    resources.defer(() => store.close())
    return store
  }
  const store = await open()
  const about = { id: ALICE, email: 'alice@example.com', name: null, createdAt: NOW }
  await store.accounts.add({ ...about, plan: 'unlimited' })
  const path = sqlitePathOf(url) ?? ''
  const dispose = () => resources.disposeAsync()
  return { store, other: await open(), path, [Symbol.asyncDispose]: dispose }
}

const versionOf = ({ dataVersion }: Store) => dataVersion?.() ?? assert.fail('there is none')

it('the version of a database stays the same while it is only read', async () => {
  await using opened = await openTwice()
  const { store, other } = opened
  const before = versionOf(store)
  for (const reader of [store, other]) {
    await reader.accounts.find(ALICE)
    await reader.keys.findCredentials('mf_live_a')
    await reader.ping()
  }
  assert.equal(versionOf(store), before)
})

for (const [how, write] of WAYS_TO_WRITE) {
  it(`the version of a database changes with ${how}, of this connection or another`, async () => {
    await using opened = await openTwice()
    const { store, other } = opened
    for (const writer of [store, other]) {
      const before = versionOf(store)
      await write(writer)
      assert.notEqual(versionOf(store), before)
    }
  })
}

it('the version of a database changes with a commit of another thread and process', async () => {
  await using opened = await openTwice()
  const { store, path } = opened
  const first = versionOf(store)
  await once(new Worker(COMMITTER, { eval: true, workerData: path }), 'exit')
  const second = versionOf(store)
  assert.notEqual(second, first)
  execFileSync(process.execPath, ['-e', COMMITTER, path])
  assert.notEqual(versionOf(store), second)
  assert.equal((await store.accounts.find(ALICE))?.name, 'xx')
})

it('the version of a database does not change before another connection commits', async () => {
  await using opened = await openTwice()
  const { store, other } = opened
  const before = versionOf(store)
  await other.transaction(async (tx) => {
    await tx.operator.setPlan(ALICE, 'connected')
    assert.equal(versionOf(store), before)
  })
  assert.notEqual(versionOf(store), before)
})

it('the version of a database is another one within and after a transaction of its own', async () => {
  await using opened = await openTwice()
  const { store } = opened
  const before = versionOf(store)
  let within = before
  const undone = store.transaction(async (tx) => {
    await tx.operator.setPlan(ALICE, 'connected')
    within = versionOf(store)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.equal(new Set([before, within, versionOf(store)]).size, 3)
})

it('the version of a database is not known once it is closed', async () => {
  await using database = await createMigratedSqlite()
  const store = await openStore({ url: database.url, exclusive: false, isMigrated: true })
  await store.ping()
  assert.notEqual(store.dataVersion?.(), null)
  await store.close()
  assert.equal(store.dataVersion?.(), null)
})

describeEachDatabase('the version of the data', (open, name) => {
  it('is there only where no other node writes', async () => {
    const store = await open()
    await givenInbox(store, { owner: ALICE })
    assert.equal(typeof store.dataVersion, name === 'SQLite' ? 'function' : 'object')
    assert.equal(store.dataVersion === null, store.isShared)
  })
})
