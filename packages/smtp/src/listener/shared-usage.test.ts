import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createUsageMemory, SharedUsage } from './shared-usage.ts'

describe('shared usage', () => {
  it('counts over threads', async () => {
    const memory = createUsageMemory()
    const usage = new SharedUsage(memory)
    usage.addConnection('192.0.2.1', 1)
    assert.equal(usage.addBytes(5), 5)
    const source = `
      import { workerData } from 'node:worker_threads'
      const { SharedUsage } = await import(workerData.module)
      const usage = new SharedUsage(workerData.memory)
      usage.addConnection('192.0.2.1', 1)
      usage.addConnection('192.0.2.2', 1)
      usage.addBytes(7)`
    const module = new URL('./shared-usage.ts', import.meta.url).href
    const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
    const thread = new Worker(url, { workerData: { memory, module } })
    await new Promise((resolve, reject) => thread.on('exit', resolve).on('error', reject))

    assert.equal(usage.connections, 3)
    assert.equal(usage.connectionsFrom('192.0.2.1'), 2)
    assert.equal(usage.addBytes(-12), 0)
    usage.addConnection('192.0.2.1', -1)
    assert.deepEqual([usage.connections, usage.connectionsFrom('192.0.2.1')], [2, 1])
  })

  it('keeps the addresses of a full server apart', () => {
    const usage = new SharedUsage()
    const address = (i: number) => `198.51.${i >> 8}.${i & 255}`
    for (let i = 0; i < 2000; i++) usage.addConnection(address(i), 1)
    const tooHigh = Array.from({ length: 2000 }, (_, i) => usage.connectionsFrom(address(i)))
    // Two hashes collide both for about two of them in a thousand.
    assert.ok(tooHigh.filter((count) => count > 1).length < 40)
    assert.ok(Math.max(...tooHigh) <= 4)
  })
})
