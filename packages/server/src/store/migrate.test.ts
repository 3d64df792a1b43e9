import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { onEachDatabase } from '../../test/testing-databases.ts'
import { until } from '../../test/testing-until.ts'
import { openStore } from './open.ts'

/** The schema before the first version that migrates under load. */
const OLD_SCHEMA = 8

onEachDatabase('a migration', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('does not hold the nodes of the older version while it waits for their locks', async () => {
    await using database = await create('template0')
    const older = await openStore({
      url: database.url,
      exclusive: false,
      migrateUpTo: OLD_SCHEMA,
    })
    const [busy, watcher] = [1, 2].map(() => new pg.Client({ connectionString: database.url }))
    assert.ok(busy !== undefined && watcher !== undefined)
    await busy.connect()
    await watcher.connect()
    await busy.query('begin')
    await busy.query('select from message')

    let isMigrated = false
    const newer = openStore({ url: database.url, exclusive: false }).then((store) => {
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
