import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { it } from 'node:test'
import { createSqlite } from '../../../test/testing-databases.ts'
import { openStore } from '../open.ts'
import { sqlitePathOf } from './path.ts'

/** Whether this process has a lock on a file. */
function isLocked(path: string): boolean {
  const { ino } = statSync(path)
  const locks = readFileSync('/proc/locks', 'utf8').split('\n')
  return locks.some((lock) => lock.includes(` ${process.pid} `) && lock.includes(`:${ino} `))
}

it('the database and its lock stay locked when the database is opened once more', async () => {
  await using database = await createSqlite()
  const path = sqlitePathOf(database.url) ?? ''
  const first = await openStore({ url: database.url, exclusive: true })
  const second = await openStore({ url: database.url, exclusive: false })
  const areLocked = [path, `${path}.lock`].map(isLocked)
  await second.close()
  await first.close()
  assert.deepEqual(areLocked, [true, true])
})

it('a database behind a symbolic link is created for its owner alone', async () => {
  await using database = await createSqlite()
  const link = sqlitePathOf(database.url) ?? ''
  symlinkSync(`${link}-elsewhere`, link)
  await (await openStore({ url: database.url, exclusive: true })).close()
  assert.equal(statSync(`${link}-elsewhere`).mode & 0o777, 0o600)
})

for (const { of, mode, kept } of [
  { of: 'its owner', mode: 0o755, kept: 0o700 },
  { of: 'several users', mode: 0o1777, kept: 0o1777 },
]) {
  it(`a folder for ${of} has the mode ${kept.toString(8)} with a database in it`, async () => {
    await using database = await createSqlite()
    const path = sqlitePathOf(database.url) ?? ''
    chmodSync(dirname(path), mode)
    await (await openStore({ url: database.url, exclusive: true })).close()
    assert.equal(statSync(dirname(path)).mode & 0o7777, kept)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })
}
