import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Backlog, bucketOf, createBacklogMemory } from './backlog.ts'

const OWNER = [bucketOf('acc_alice')]

describe('the backlog of a receiving thread', () => {
  it('holds nobody up when every accepted mail is stored', () => {
    const backlog = new Backlog(createBacklogMemory(1), 0)
    assert.equal(backlog.caughtUp('acc_alice'), null)
    backlog.accept(OWNER)
    backlog.store(OWNER)
    assert.equal(backlog.caughtUp('acc_alice'), null)
  })

  it('holds nobody up for the mails of others', () => {
    const backlog = new Backlog(createBacklogMemory(1), 0)
    backlog.accept([...OWNER, bucketOf('acc_carol')])
    assert.equal(backlog.caughtUp('acc_bob'), null)
    assert.notEqual(backlog.caughtUp('acc_carol'), null)
  })

  it('holds a reader up until the mails are stored that were accepted before', async () => {
    const memory = createBacklogMemory(2)
    const [other, own] = [new Backlog(memory, 0), new Backlog(memory, 1)]
    own.accept(OWNER)
    own.accept(OWNER)
    assert.equal(other.caughtUp('acc_alice'), null)
    let isOver = false
    const waiting = own.caughtUp('acc_alice')?.then(() => {
      isOver = true
    })
    own.accept(OWNER)
    own.store(OWNER)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    own.store(OWNER)
    await waiting
    assert.equal(isOver, true)
    assert.notEqual(own.caughtUp('acc_alice'), null)
  })

  it('is over when another thread says so', async () => {
    const memory = createBacklogMemory(1)
    const backlog = new Backlog(memory, 0)
    backlog.accept(OWNER)
    const waiting = backlog.caughtUp('acc_alice')
    const code = `
      const { workerData } = require('node:worker_threads')
      import(workerData.file).then(({ Backlog, bucketOf }) =>
        new Backlog(workerData.memory, 0).store([bucketOf('acc_alice')]))`
    const file = new URL('./backlog.ts', import.meta.url).href
    const worker = new Worker(code, { eval: true, workerData: { memory, file } })
    await waiting
    assert.equal(backlog.caughtUp('acc_alice'), null)
    await worker.terminate()
  })

  it('holds nobody up while mails cannot be stored', async () => {
    const backlog = new Backlog(createBacklogMemory(1), 0)
    backlog.accept(OWNER)
    const waiting = backlog.caughtUp('acc_alice')
    backlog.setFailing(true)
    await waiting
    assert.equal(backlog.caughtUp('acc_alice'), null)
    backlog.setFailing(false)
    assert.notEqual(backlog.caughtUp('acc_alice'), null)
  })

  it('ends a wait whenever the mail is stored, or the storing fails', async (t) => {
    const { load } = Atomics
    let loads = 0
    let meanwhile = { afterLoad: -1, happens: () => {} }
    // Something happens after each of the loads in turn. A mock would keep all calls.
    const loadAndGoOn = (array: Int32Array, index: number) => {
      const value = load(array, index)
      loads += 1
      if (loads === meanwhile.afterLoad) meanwhile.happens()
      return value
    }
    Object.assign(Atomics, { load: loadAndGoOn })
    t.after(() => Object.assign(Atomics, { load }))
    for (const happens of ['store', 'fail'] as const) {
      for (let afterLoad = 1; afterLoad <= 20; afterLoad++) {
        const memory = createBacklogMemory(1)
        const [receiving, reading] = [new Backlog(memory, 0), new Backlog(memory, 0)]
        receiving.accept(OWNER)
        const happen = () =>
          happens === 'store' ? receiving.store(OWNER) : receiving.setFailing(true)
        loads = 0
        meanwhile = { afterLoad, happens: happen }
        const waiting = reading.caughtUp('acc_alice')
        // It has made fewer loads by now.
        if (loads < afterLoad) happen()
        const late = delay(2_000, 'late', { ref: false })
        assert.notEqual(await Promise.race([waiting, late]), 'late', `${happens} ${afterLoad}`)
      }
    }
  })

  it('is forgotten when the thread is started again', () => {
    const memory = createBacklogMemory(1)
    for (let i = 0; i < 3; i++) new Backlog(memory, 0).accept(OWNER)
    const backlog = new Backlog(memory, 0)
    assert.notEqual(backlog.caughtUp('acc_alice'), null)
    backlog.reset()
    assert.equal(backlog.caughtUp('acc_alice'), null)
    backlog.accept(OWNER)
    assert.notEqual(backlog.caughtUp('acc_alice'), null)
  })

  it('tells for whom somebody waits, and calls when mails of theirs are not stored', async () => {
    const memory = createBacklogMemory(1)
    const [receiving, reading] = [new Backlog(memory, 0), new Backlog(memory, 0)]
    const stopping = new AbortController()
    let calls = 0
    const called = Promise.withResolvers<void>()
    const listening = receiving.listen(() => {
      calls += 1
      called.resolve()
    }, stopping.signal)
    reading.watch('inb_empty')
    assert.deepEqual(
      [receiving.isWatched([bucketOf('inb_empty')]), receiving.isWatched([bucketOf('inb_a')])],
      [true, false],
    )
    reading.unwatch('inb_empty')
    assert.equal(receiving.isWatched([bucketOf('inb_empty')]), false)
    receiving.accept([bucketOf('inb_a')])
    assert.deepEqual([reading.isCaughtUp('inb_a'), reading.isCaughtUp('inb_empty')], [false, true])
    const waiting = reading.caughtUp('inb_a')
    assert.equal(receiving.isWatched([bucketOf('inb_a')]), true)
    await called.promise
    assert.equal(calls, 1)
    receiving.store([bucketOf('inb_a')])
    await waiting
    assert.equal(receiving.isWatched([bucketOf('inb_a')]), false)
    stopping.abort()
    receiving.accept([bucketOf('inb_a')])
    reading.watch('inb_a')
    await listening
    assert.equal(calls, 1)
  })

  it('counts on when its numbers overflow', () => {
    const memory = createBacklogMemory(1)
    new Int32Array(memory).fill(2 ** 31 - 1, 0, 2 * 65_536)
    const backlog = new Backlog(memory, 0)
    backlog.accept(OWNER)
    assert.notEqual(backlog.caughtUp('acc_alice'), null)
    backlog.store(OWNER)
    assert.equal(backlog.caughtUp('acc_alice'), null)
  })
})
