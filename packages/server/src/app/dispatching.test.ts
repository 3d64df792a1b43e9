import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../test/testing-store.ts'
import { until } from '../../test/testing-until.ts'
import { parseConfig } from '../config/config.ts'
import { createLog } from '../platform/log.ts'
import { createSecretBox } from '../platform/secret-box.ts'
import { startDispatching } from './dispatching.ts'

/** More than are recorded in one transaction. */
const WEBHOOKS = 12
const DELIVERIES_EACH = 10

describeEachDatabase('dispatching', (open) => {
  it('records attempts that end together in bounded transactions', async () => {
    const store = await open()
    const key = Buffer.alloc(32)
    const secret = createSecretBox(key).seal('whsec_AAAA')
    for (let i = 0; i < WEBHOOKS; i++) {
      const webhookId = await givenWebhook(store, ALICE, secret)
      await givenDeliveries(store, { owner: ALICE, webhookId, count: DELIVERIES_EACH })
    }
    const answered = Promise.withResolvers<void>()
    const batches: number[] = []
    let underWay = 0
    const dispatching = await startDispatching({
      // A configured key: otherwise one would be written beside the database.
      config: parseConfig({
        MAYFLY_DATABASE_URL: store.isShared ? 'postgres://none/none' : 'sqlite:none.db',
        MAYFLY_SECRET_KEY: key.toString('base64'),
      }),
      store,
      log: createLog('silent'),
      clock: { now: () => NOW },
      signals: { announce: () => {}, listen: () => () => {}, close: () => {} },
      outbound: {
        request: async (_owner, { url }) => {
          underWay += 1
          await answered.promise
          const body = Buffer.alloc(0)
          const answer = { status: 200, headers: {}, body, isTruncated: true, durationMs: 1 }
          return { state: 'responded', url, ...answer }
        },
      },
      publishDeliveries: (ids) => batches.push(ids.length),
    })
    await using _ = { [Symbol.asyncDispose]: () => dispatching.stop(0) }
    const all = WEBHOOKS * DELIVERIES_EACH
    await until(async () => (underWay === all ? true : null))
    answered.resolve()
    await until(async () => (batches.reduce((sum, size) => sum + size, 0) === all ? true : null))
    assert.ok(
      batches.every((size) => size <= 50),
      `batches of ${batches.join(', ')}`,
    )
  })
})
