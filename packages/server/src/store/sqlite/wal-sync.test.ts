import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { createSqlite } from '../../../test/testing-databases.ts'
import { StorageUnavailable } from '../../errors.ts'
import { openStore } from '../open.ts'
import { sqlitePathOf } from './path.ts'
import { syncByDuration, syncTogether, WalSync } from './wal-sync.ts'

/** A disk that does what a test wants next. */
function givenDisk() {
  const calls: string[] = []
  const disk: { fails: Error | null; isLogInUse: boolean } = { fails: null, isLogInUse: false }
  const sync = new WalSync({
    syncLog: async () => {
      calls.push('sync')
      if (disk.fails !== null) throw disk.fails
    },
    truncateLog: async () => {
      calls.push('empty')
      return !disk.isLogInUse
    },
  })
  return { disk, sync, calls }
}

it('syncs are done on this thread while they are brief', async () => {
  let nowMs = 0
  const done: string[] = []
  const durationsMs = [1, 1.9, 2, 5, 1, 1]
  const take = (where: string) => {
    nowMs += durationsMs[done.length] ?? 0
    done.push(where)
  }
  const sync = syncByDuration({
    here: () => take('here'),
    apart: async () => take('apart'),
    elapsedMs: () => nowMs,
  })
  for (const _ of durationsMs) await sync()
  assert.deepEqual(done, ['here', 'here', 'here', 'apart', 'apart', 'here'])
})

it('a sync on this thread that fails is a rejection', async () => {
  const here = () => {
    throw new Error('EIO')
  }
  await assert.rejects(syncByDuration({ here, apart: async () => {}, elapsedMs: () => 0 })(), /EIO/)
})

describe('syncs together', () => {
  /** Syncs that a test ends one after the other. */
  function givenSyncs() {
    const begun: PromiseWithResolvers<void>[] = []
    const sync = syncTogether(() => {
      const one = Promise.withResolvers<void>()
      begun.push(one)
      return one.promise
    })
    return { begun, sync }
  }

  it('are one at a time, and all who ask meanwhile share the next', async () => {
    const { begun, sync } = givenSyncs()
    const first = sync()
    const others = [sync(), sync(), sync()]
    assert.equal(begun.length, 1)
    begun[0]?.resolve()
    await first
    assert.equal(begun.length, 2)
    begun[1]?.resolve()
    await Promise.all(others)
    assert.equal(begun.length, 2)
  })

  it('begin again for each who asks after the end', async () => {
    const { begun, sync } = givenSyncs()
    for (const count of [1, 2, 3]) {
      const one = sync()
      assert.equal(begun.length, count)
      begun.at(-1)?.resolve()
      await one
    }
  })

  it('are shared with who asks when one has ended and the next has not begun', async () => {
    const { begun, sync } = givenSyncs()
    const third = sync().then(() => sync())
    const second = sync()
    begun[0]?.resolve()
    await yieldToLoop()
    assert.equal(begun.length, 2)
    begun[1]?.resolve()
    await Promise.all([second, third])
  })

  it('begin also after one that has failed', async () => {
    const { begun, sync } = givenSyncs()
    const [first, second] = [sync(), sync()]
    begun[0]?.reject(new Error('EIO'))
    await assert.rejects(first, /EIO/)
    begun[1]?.resolve()
    await second
  })
})

describe('the sync of the log', () => {
  it('says that the storage is unavailable when the disk refuses, and whether it is full', async () => {
    const { disk, sync } = givenDisk()
    disk.fails = new Error('EIO')
    await assert.rejects(sync.sync(), (error) => {
      assert.ok(error instanceof StorageUnavailable)
      assert.deepEqual([error.full, error.isUncertain], [false, true])
      return true
    })
    const full = givenDisk()
    full.disk.fails = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    await assert.rejects(full.sync.sync(), (error) => {
      assert.ok(error instanceof StorageUnavailable)
      assert.equal(error.full, true)
      return true
    })
  })

  it('does not trust a sync during which another one failed', async () => {
    const disk = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    let count = 0
    const sync = new WalSync({
      syncLog: () => disk[count++ % 2]?.promise ?? Promise.resolve(),
      truncateLog: async () => true,
    })
    const [first, second] = [sync.sync(), sync.sync()]
    disk[0].reject(new Error('EIO'))
    await assert.rejects(first, StorageUnavailable)
    disk[1].resolve()
    await assert.rejects(second, StorageUnavailable)
    await sync.sync()
  })

  it('trusts the log again only after all of it was carried over', async () => {
    const { disk, sync, calls } = givenDisk()
    disk.fails = new Error('EIO')
    await assert.rejects(sync.sync())
    disk.fails = null
    disk.isLogInUse = true
    await assert.rejects(sync.sync(), StorageUnavailable)
    await assert.rejects(sync.sync(), StorageUnavailable)
    disk.isLogInUse = false
    await sync.sync()
    await sync.sync()
    assert.deepEqual(calls, ['sync', 'empty', 'empty', 'empty', 'sync'])
  })
})

describe('a store that syncs apart', () => {
  it('keeps what it promised, in the log and in the file', async () => {
    await using database = await createSqlite()
    const path = sqlitePathOf(database.url) ?? ''
    const first = await openStore({ url: database.url, exclusive: true })
    const store = await openStore({ url: database.url, exclusive: false, syncsInBackground: true })
    await store.transaction((tx) => tx.diagnostics.countRefusals(new Map([['mayfly.test', 3]]), 0))
    assert.ok(statSync(`${path}-wal`).size > 0)
    await store.checkpoint()
    assert.deepEqual(
      await first.domains.countRefusals(['mayfly.test'], 0),
      new Map([['mayfly.test', 3]]),
    )
    await store.close()
    await first.close()
  })

  it('says that others can read a transaction before it is on the disk', async () => {
    await using database = await createSqlite()
    const happened: string[] = []
    const reader = await openStore({ url: database.url, exclusive: true })
    const store = await openStore({
      url: database.url,
      exclusive: false,
      syncsInBackground: true,
      elapsedMs: () => {
        happened.push('sync')
        return 0
      },
    })
    // What the opening has synced.
    happened.length = 0
    let seen: Promise<ReadonlyMap<string, number>> | null = null
    await store.transaction(
      (tx) => tx.diagnostics.countRefusals(new Map([['mayfly.test', 3]]), 0),
      () => {
        happened.push('committed')
        seen = reader.domains.countRefusals(['mayfly.test'], 0)
      },
    )
    // The clock is read before the sync and after it.
    assert.deepEqual(happened, ['committed', 'sync', 'sync'])
    assert.deepEqual(await seen, new Map([['mayfly.test', 3]]))
    await store.close()
    await reader.close()
  })

  it('syncs a change outside of a transaction as well', async () => {
    await using database = await createSqlite()
    let syncs = 0
    const store = await openStore({
      url: database.url,
      exclusive: true,
      syncsInBackground: true,
      // Read before a sync and after it.
      elapsedMs: () => {
        syncs += 0.5
        return 0
      },
    })
    const changes = [
      () => store.secretKeys.addOrFind('one', 1),
      () => store.execute("update secret_key set value = 'two'"),
      () => store.execute("delete from secret_key where value = 'three'"),
    ]
    for (const change of changes) {
      const before = syncs
      await change()
      assert.equal(syncs, before + 1)
    }
    const before = syncs
    assert.equal(await store.secretKeys.find(), 'two')
    assert.equal(syncs, before)
    await store.close()
  })
})
