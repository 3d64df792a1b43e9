import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { createSqlite } from '../../test/databases.ts'
import { OperatorRefused } from '../errors.ts'
import { backUpSqlite } from './backup.ts'
import { openStore, sqlitePathOf } from './open.ts'
import { ALICE, NOW } from './testing.ts'

const account = { id: ALICE, email: 'a@b.example', name: null, plan: 'connected' } as const

describe('a backup of the embedded store', () => {
  it('is whole, readable by its owner alone, and opens as a store', async () => {
    await using database = await createSqlite()
    const source = sqlitePathOf(database.url) ?? ''
    const target = join(dirname(source), 'copy.db')
    const store = await openStore({ url: database.url, exclusive: true })
    await store.accounts.add({ ...account, createdAt: NOW })
    const backup = backUpSqlite(source, target)
    assert.deepEqual([backup.accounts, backup.inboxes, backup.messages], [1, 0, 0])
    assert.equal(backup.sizeBytes, statSync(target).size)
    assert.equal(statSync(target).mode & 0o777, 0o600)
    assert.ok(!existsSync(`${target}.part`))
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
    writeFileSync(target, 'precious')
    assert.throws(() => backUpSqlite(source, target), OperatorRefused)
    assert.equal(statSync(target).size, 8)
  })
})
