import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { createSqlite } from '../../../test/testing-databases.ts'
import { ALICE, NOW } from '../../../test/testing-store.ts'
import { OperatorRefused } from '../../errors.ts'
import { openStore } from '../open.ts'
import { backUpSqlite } from './backup.ts'
import { sqlitePathOf } from './path.ts'

const account = { id: ALICE, email: 'a@b.example', name: null, plan: 'connected' } as const

describe('a backup of the embedded store', () => {
  it('is whole, readable by its owner alone, and opens as a store', async () => {
    await using database = await createSqlite()
    const source = sqlitePathOf(database.url) ?? ''
    const target = join(dirname(source), 'copy.db')
    const store = await openStore({ url: database.url, exclusive: true })
    await store.accounts.add({ ...account, createdAt: NOW })
    writeFileSync(`${source}.key`, 'the key')
    const backup = backUpSqlite(source, target)
    assert.deepEqual([backup.accounts, backup.inboxes, backup.messages], [1, 0, 0])
    assert.equal(backup.sizeBytes, statSync(target).size)
    assert.equal(statSync(target).mode & 0o777, 0o600)
    assert.ok(!existsSync(`${target}.part`))
    assert.equal(backup.keyPath, `${target}.key`)
    assert.equal(readFileSync(`${target}.key`, 'utf8'), 'the key')
    assert.equal(statSync(`${target}.key`).mode & 0o777, 0o600)
    await store.close()

    const copy = await openStore({ url: `sqlite:${target}`, exclusive: true, existing: true })
    assert.equal((await copy.accounts.find(ALICE))?.email, 'a@b.example')
    await copy.close()
  })

  it('overwrites nothing', async () => {
    await using database = await createSqlite()
    const source = sqlitePathOf(database.url) ?? ''
    await (await openStore({ url: database.url, exclusive: true })).close()
    const target = join(dirname(source), 'copy.db')
    for (const precious of [target, `${target}.key`]) {
      writeFileSync(precious, 'precious')
      assert.throws(() => backUpSqlite(source, target), OperatorRefused)
      assert.equal(readFileSync(precious, 'utf8'), 'precious')
      rmSync(precious)
    }
    assert.equal(backUpSqlite(source, target).keyPath, null)
  })

  it('names a folder that does not exist or cannot be written', async () => {
    await using database = await createSqlite()
    const source = sqlitePathOf(database.url) ?? ''
    await (await openStore({ url: database.url, exclusive: true })).close()
    const absent = join(dirname(source), 'absent')
    assert.throws(() => backUpSqlite(source, join(absent, 'copy.db')), {
      name: 'OperatorRefused',
      message: `There is no folder ${absent}. Create it.`,
    })
    // A file instead of a folder: permissions do not stop the user root.
    assert.throws(() => backUpSqlite(source, join(source, 'copy.db')), {
      name: 'OperatorRefused',
      message: /^The folder .* cannot be written: ENOTDIR/,
    })
  })
})
