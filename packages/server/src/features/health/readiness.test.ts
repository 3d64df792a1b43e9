import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ServiceError, StorageUnavailable } from '../../errors.ts'
import { atMostEvery, Readiness } from './readiness.ts'

async function failures(readiness: Readiness): Promise<unknown> {
  try {
    await readiness.require()
  } catch (error) {
    if (error instanceof ServiceError) return error.detail.fields?.['checks']
    throw error
  }
  return {}
}

describe('readiness', () => {
  it('names the checks that fail, and why', async () => {
    const secret = new Error('connect ECONNREFUSED 10.0.0.5:5432')
    const readiness = new Readiness({
      fine: async () => {},
      storage: () => Promise.reject(new StorageUnavailable(secret, false)),
      disk: () => Promise.reject(new StorageUnavailable(secret, true)),
      receiving: () => Promise.reject(new Error('a thread has ended')),
    })
    assert.deepEqual(await failures(readiness), {
      storage: 'the storage is unavailable',
      disk: 'the storage is full',
      receiving: 'a thread has ended',
    })
  })

  it('does not wait for a check that hangs, nor start it twice', async () => {
    let starts = 0
    const hanging = Promise.withResolvers<void>()
    const readiness = new Readiness(
      {
        disk: () => {
          starts += 1
          return hanging.promise
        },
      },
      20,
    )
    for (const _ of [1, 2]) {
      assert.deepEqual(await failures(readiness), { disk: 'no response within 20 ms' })
    }
    assert.equal(starts, 1)
    hanging.resolve()
    await readiness.require()
  })

  it('writes only now and then, and again at once after a failure', async () => {
    let elapsedMs = 0
    let fails = true
    let runs = 0
    const check = atMostEvery(
      1_000,
      () => elapsedMs,
      async () => {
        runs += 1
        if (fails) throw new Error('read-only')
      },
    )
    await assert.rejects(check())
    await assert.rejects(check())
    fails = false
    await check()
    elapsedMs = 999
    await check()
    assert.equal(runs, 3)
    elapsedMs = 1_000
    await check()
    assert.equal(runs, 4)
  })
})
