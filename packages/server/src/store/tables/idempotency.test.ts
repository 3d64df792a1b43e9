import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, BOB, describeEachDatabase, NOW } from '../../../test/testing-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describeEachDatabase('idempotency keys', (open) => {
  it('recalls the answer for 24 hours, to the account alone', async () => {
    const store = await open()
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW), null)
    await store.idempotencyKeys.keep(ALICE, 'k', 'answer')

    assert.equal(await store.idempotencyKeys.takeOrRecall(BOB, 'k', NOW), null)
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'other', NOW), null)
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW + DAY_MS - 1), 'answer')
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW + DAY_MS), null)
  })

  it('makes a second taker wait for the first, and recalls its answer', async () => {
    const store = await open()
    const one = async (answer: string) =>
      store.transaction(async (tx) => {
        const earlier = await tx.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW)
        if (earlier !== null) return earlier
        await tx.idempotencyKeys.keep(ALICE, 'k', answer)
        return answer
      })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => one(`answer ${i}`)))
    assert.equal(new Set(answers).size, 1)
  })

  it('forgets what is no longer honoured', async () => {
    const store = await open()
    await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW)
    await store.idempotencyKeys.keep(ALICE, 'k', 'answer')
    await store.idempotencyKeys.deleteOld(NOW + DAY_MS - 1)
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW), 'answer')
    await store.idempotencyKeys.deleteOld(NOW + DAY_MS)
    assert.equal(await store.idempotencyKeys.takeOrRecall(ALICE, 'k', NOW), null)
  })
})
