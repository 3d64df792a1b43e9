import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Backlog, createBacklogMemory } from './backlog.ts'

const OWNER = ['acc_alice']

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
    backlog.accept(['acc_alice', 'acc_carol'])
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
      import(workerData.file).then(({ Backlog }) => new Backlog(workerData.memory, 0).store(['acc_alice']))`
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

  it('counts on when its numbers overflow', () => {
    const memory = createBacklogMemory(1)
    new Int32Array(memory).fill(2 ** 31 - 1, 0, 512)
    const backlog = new Backlog(memory, 0)
    backlog.accept(OWNER)
    assert.notEqual(backlog.caughtUp('acc_alice'), null)
    backlog.store(OWNER)
    assert.equal(backlog.caughtUp('acc_alice'), null)
  })
})
