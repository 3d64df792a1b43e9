import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import { createSqlite } from '../../test/testing-databases.ts'
import { ALICE, BOB, describeEachDatabase, givenInbox, NOW } from '../../test/testing-store.ts'
import { compiledOnce } from './compiled-query.ts'
import { openSqlite } from './sqlite/open.ts'
import { statementsOver } from './statements.ts'

describeEachDatabase('queries that are compiled once', (open) => {
  it('are run with the values of each call, in a transaction or not', async () => {
    const store = await open()
    const ofAlice = await givenInbox(store, { owner: ALICE })
    const ofBob = await givenInbox(store, { owner: BOB })
    // More often than PostgreSQL needs to prepare a statement.
    for (let i = 0; i < 7; i++) {
      const find = (owner: AccountId, id: InboxId) => store.inboxes.find(owner, id, NOW)
      assert.equal((await find(ALICE, ofAlice.id))?.id, ofAlice.id)
      assert.equal((await find(BOB, ofBob.id))?.id, ofBob.id)
      assert.equal(await find(BOB, ofAlice.id), null)
      await store.transaction(async (tx) => {
        assert.equal((await tx.inboxes.find(BOB, ofBob.id, NOW))?.id, ofBob.id)
      })
    }
  })

  it('do not see what an open transaction has written', async () => {
    const store = await open()
    const { id } = await givenInbox(store, { owner: ALICE })
    const written = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const undone = store.transaction(async (tx) => {
      await tx.inboxes.purge(ALICE, id)
      written.resolve()
      await end.promise
      throw new Error('undone')
    })
    await written.promise
    const found = [store.inboxes.find(ALICE, id, NOW), store.receiving.findInbox(id)]
    end.resolve()
    await assert.rejects(undone, /undone/)
    assert.ok((await Promise.all(found)).every((one) => one !== null))
  })
})

describe('a query that is compiled once on SQLite', () => {
  it('is built once', async () => {
    await using database = await createSqlite()
    const { db, statements } = openSqlite(database.url.slice('sqlite:'.length), 'atCommit')
    let built = 0
    const find = compiledOnce((on, given: { readonly limit: number; readonly address: string }) => {
      built += 1
      return on
        .selectFrom('inbox')
        .select('address')
        .where('address', '=', given.address)
        .limit(given.limit)
    })
    await statements.run('create table inbox (address text)', [])
    await statements.run("insert into inbox values ('a'), ('a'), ('b')", [])
    const rows = async (address: string, limit: number) =>
      (await find({ db, statements }, { limit, address })).map((row) => row.address)
    assert.deepEqual(await rows('a', 10), ['a', 'a'])
    assert.deepEqual(await rows('a', 1), ['a'])
    assert.deepEqual(await rows('b', 10), ['b'])
    const inTransaction = db.transaction().execute(async (tx) => {
      const access = { db: tx, statements: statementsOver(tx) }
      return find(access, { address: 'b', limit: 1 })
    })
    assert.equal((await inTransaction).length, 1)
    assert.equal(built, 1)
    await db.destroy()
  })

  it('has no bare `limit ?`, with which SQLite would plan it again each time', async () => {
    await using database = await createSqlite()
    const { db } = openSqlite(database.url.slice('sqlite:'.length), 'atCommit')
    assert.match(db.selectFrom('inbox').select('id').limit(1).compile().sql, /limit cast\(\?/)
    await db.destroy()
  })
})
