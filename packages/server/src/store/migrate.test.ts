import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { onEachDatabase } from '../../test/testing-databases.ts'
import { ALICE, NOW } from '../../test/testing-store.ts'
import { until } from '../../test/testing-until.ts'
import { StartRefused } from '../errors.ts'
import { MIGRATIONS, type Migration } from './migrate.ts'
import { openStore } from './open.ts'

/** What a later version may add. */
const ADDED: Migration = (types) => [
  `alter table message add column added ${types.integer} not null default 7`,
]

onEachDatabase('a migration', (create, name) => {
  it('makes the schema of a later version, once, with what is stored', async () => {
    await using database = await create('template0')
    const open = (...later: readonly Migration[]) =>
      openStore({ url: database.url, exclusive: false, migrations: [...MIGRATIONS, ...later] })
    const older = await open()
    const alice = { id: ALICE, email: 'a@b.example', name: null, createdAt: NOW }
    await older.accounts.add({ ...alice, plan: 'unlimited' })
    await older.close()
    // SQLite blocks its thread while it waits for a lock: there, one after the other.
    const newer =
      name === 'SQLite'
        ? [await open(ADDED), await open(ADDED)]
        : await Promise.all([open(ADDED), open(ADDED), open(ADDED)])
    for (const store of newer) {
      await store.execute('select added from message')
      assert.equal((await store.accounts.find(ALICE))?.email, alice.email)
      await store.close()
    }
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof StartRefused)
      assert.match(error.message, /from a newer Mayfly \(schema 2, this one supports 1\)/)
      return true
    })
  })

  it('that fails changes nothing', async () => {
    await using database = await create('template0')
    const open = (...later: readonly Migration[]) =>
      openStore({ url: database.url, exclusive: false, migrations: [...MIGRATIONS, ...later] })
    await (await open()).close()
    await assert.rejects(
      open(ADDED, () => ['drop table unknown']),
      /unknown/,
    )
    const store = await open()
    await assert.rejects(store.execute('select added from message'), /added/)
    await store.close()
  })

  if (name !== 'PostgreSQL') return

  it('does not hold the nodes of the older version while it waits for their locks', async () => {
    await using database = await create('template0')
    const options = { url: database.url, exclusive: false }
    const older = await openStore(options)
    const [busy, watcher] = [1, 2].map(() => new pg.Client({ connectionString: database.url }))
    assert.ok(busy !== undefined && watcher !== undefined)
    await busy.connect()
    await watcher.connect()
    await busy.query('begin')
    await busy.query('select from message')

    let isMigrated = false
    const migrations = [...MIGRATIONS, ADDED]
    const newer = openStore({ ...options, migrations }).then((store) => {
      isMigrated = true
      return store
    })
    await until(async () => {
      const waiting = await watcher.query(`select from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`)
      return waiting.rowCount === 0 ? null : true
    })
    // It waits in front of us, and gives up before we do.
    await older.execute('select count(*) from message')
    assert.equal(isMigrated, false)
    await busy.query('commit')
    await busy.end()
    await watcher.end()
    const store = await newer
    await store.ping()
    await store.close()
    await older.close()
  })
})
