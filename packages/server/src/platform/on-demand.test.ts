import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OnDemand } from './on-demand.ts'

describe('what is opened on demand', () => {
  it('is opened once, by the first use', async () => {
    let opened = 0
    const onDemand = new OnDemand(async () => ++opened)
    assert.equal(await onDemand.last(), null)
    assert.equal(onDemand.opened, null)
    assert.deepEqual(await Promise.all([onDemand.get(), onDemand.get()]), [1, 1])
    assert.equal(onDemand.opened, 1)
  })

  it('is opened again after a failure, and nothing is open then', async () => {
    let tries = 0
    const onDemand = new OnDemand(async () => {
      tries += 1
      return tries > 1 ? 'open' : assert.fail('not yet')
    })
    await assert.rejects(onDemand.get(), /not yet/)
    assert.equal(await onDemand.last(), null)
    assert.equal(await onDemand.get(), 'open')
  })

  it('is waited for while it is being opened', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const onDemand = new OnDemand(() => promise)
    void onDemand.get()
    const last = onDemand.last()
    resolve('open')
    assert.equal(await last, 'open')
  })
})
