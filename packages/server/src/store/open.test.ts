import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createSqlite, onEachDatabase } from '../../test/testing-databases.ts'
import { ALICE, BOB, NOW } from '../../test/testing-store.ts'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import { elapsedMs } from '../platform/clock.ts'
import { openStore } from './open.ts'

onEachDatabase('the store', (create, name) => {
  it('migrates once, however many open it, and opens again', async () => {
    await using database = await create('template0')
    const open = () => openStore({ url: database.url, exclusive: false })
    // SQLite blocks its thread while it waits for a lock: there, one after the other.
    const stores =
      name === 'SQLite'
        ? [await open(), await open()]
        : await Promise.all([open(), open(), open(), open()])
    for (const store of stores) await store.ping()
    for (const store of stores) await store.close()
    await (await open()).close()
  })
})

onEachDatabase('a store that must be there', (create) => {
  it('is opened when it is of this version, and left as it is when not', async () => {
    await using database = await create('template0')
    const open = (existing: boolean) => openStore({ url: database.url, exclusive: false, existing })
    await assert.rejects(open(true), { name: 'StartRefused' })
    await (await open(false)).close()
    const store = await open(true)
    await store.execute('delete from migration')
    await store.close()
    await assert.rejects(open(true), /has schema 0, .* Start this version of the service once/)
    await assert.rejects(open(true), /has schema 0/)
  })
})

describe('the embedded store', () => {
  it('is held by one process at a time', async () => {
    await using database = await createSqlite()
    const store = await openStore({ url: database.url, exclusive: true })
    await assert.rejects(openStore({ url: database.url, exclusive: true }), StartRefused)
    await store.close()
    await (await openStore({ url: database.url, exclusive: true })).close()
  })

  it('is readable by its owner alone, also when it was not before', async () => {
    await using database = await createSqlite()
    const folder = dirname(database.url.slice('sqlite:'.length))
    const path = join(folder, 'data', 'mayfly.db')
    const assertRestricted = () => {
      const names = readdirSync(dirname(path))
      assert.ok(names.includes('mayfly.db-wal') && names.includes('mayfly.db.lock'))
      const mode = (name: string) => (statSync(join(dirname(path), name)).mode & 0o777).toString(8)
      assert.deepEqual([mode(''), ...new Set(names.map(mode))], ['700', '600'])
    }
    const first = await openStore({ url: `sqlite:${path}`, exclusive: true })
    assertRestricted()
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o644)
    chmodSync(dirname(path), 0o755)
    await first.close()
    const second = await openStore({ url: `sqlite:${path}`, exclusive: true })
    assertRestricted()
    await second.close()
  })

  it('leaves a folder as it is that has files of others', async () => {
    await using database = await createSqlite()
    const folder = dirname(database.url.slice('sqlite:'.length))
    writeFileSync(join(folder, 'other.txt'), 'x', { mode: 0o644 })
    chmodSync(folder, 0o755)
    await (await openStore({ url: database.url, exclusive: true })).close()
    assert.equal(statSync(folder).mode & 0o777, 0o755)
    assert.equal(statSync(join(folder, 'other.txt')).mode & 0o777, 0o644)
  })

  it('does not block its thread while another one writes', async () => {
    await using database = await createSqlite()
    const store = await openStore({ url: database.url, exclusive: false, yieldsBy: elapsedMs })
    using other = new DatabaseSync(database.url.slice('sqlite:'.length))
    other.exec('begin immediate')
    const account = { id: ALICE, name: null, plan: 'unlimited', createdAt: NOW } as const
    const written = Promise.all([
      store.accounts.add({ ...account, email: 'alice@example.com' }),
      store.transaction((tx) => tx.accounts.add({ ...account, id: BOB, email: 'bob@example.com' })),
    ])
    // It would be blocked for 5 s, and then fail.
    await new Promise((resolve) => setImmediate(resolve))
    other.exec('commit')
    await written
    await store.close()
  })

  it('leaves what only begins with its name as it is', async () => {
    await using database = await createSqlite()
    const path = database.url.slice('sqlite:'.length)
    mkdirSync(`${path}-backups`, { mode: 0o755 })
    writeFileSync(`${path}.txt`, 'x', { mode: 0o644 })
    await (await openStore({ url: database.url, exclusive: true })).close()
    assert.equal(statSync(`${path}-backups`).mode & 0o777, 0o755)
    assert.equal(statSync(`${path}.txt`).mode & 0o777, 0o644)
  })

  it('refuses what cannot be a database, and leaves it as it is', async () => {
    await using database = await createSqlite()
    const path = database.url.slice('sqlite:'.length)
    mkdirSync(`${path}/folder`, { recursive: true })
    writeFileSync(`${path}/file`, 'not a database, but longer than its header'.repeat(20))
    const cases = ['/folder', '/file', '/file/below.db'].map((end) => `${path}${end}`)
    for (const unusable of cases) {
      await assert.rejects(openStore({ url: `sqlite:${unusable}`, exclusive: true }), (error) => {
        assert.ok(error instanceof StartRefused, String(error))
        assert.match(error.message, /cannot be opened: .*Check MAYFLY_DATABASE_URL/)
        return true
      })
    }
    assert.equal(statSync(`${path}/folder`).mode & 0o777, 0o755)
    assert.ok(!readdirSync(path).includes('folder.lock'))
  })
})

describe('PostgreSQL out of reach', () => {
  it('refuses the start and names the setting', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none'
    await assert.rejects(openStore({ url, exclusive: true }), (error) => {
      assert.ok(error instanceof StartRefused)
      assert.match(error.message, /MAYFLY_DATABASE_URL/)
      assert.ok(!(error instanceof StorageUnavailable))
      return true
    })
  })
})
