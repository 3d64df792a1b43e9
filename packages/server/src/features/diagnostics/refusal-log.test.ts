import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import { StorageUnavailable } from '../../errors.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { RefusalLog } from './refusal-log.ts'

const ids = createIds({ now: () => NOW })

function logOver(store: Store): RefusalLog {
  return new RefusalLog({
    store,
    clock: { now: () => NOW },
    newId: () => ids.next('diagnostic'),
    ourDomains: ['mayfly.test'],
    replyText: (reply) => reply,
    onUnplaced: () => {},
    record: async () => true,
  })
}

describeEachDatabase('counts of refused recipients', (open) => {
  it('are kept when the storage fails, and written once', async () => {
    const store = await open()
    let isFailing = true
    const transaction: Store['transaction'] = (work) =>
      isFailing ? Promise.reject(new StorageUnavailable('no space', true)) : store.transaction(work)
    const log = logOver({ ...store, transaction })
    const total = async () =>
      (await store.domains.countRefusals(['mayfly.test'], 0)).get('mayfly.test')

    await log.addUnknown('nobody@mayfly.test')
    await log.addUnknown('nobody@mayfly.test')
    const failed = assert.rejects(log.flush(), StorageUnavailable)
    await log.addUnknown('nobody@mayfly.test')
    await failed
    assert.equal(await total(), undefined)

    isFailing = false
    await log.flush()
    await log.flush()
    assert.equal(await total(), 3)
  })
})
