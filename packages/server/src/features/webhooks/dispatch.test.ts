import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventId, WebhookId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import { until } from '../../../test/testing-until.ts'
import type { Store } from '../../store/open.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { ClaimedEvent } from './claim.ts'
import { Dispatcher } from './dispatch.ts'
import { type DeliveryAttemptRecord, recordAttempts } from './record.ts'
import { nextAttemptAt } from './schedule.ts'

const LEASE_MS = 30_000

/** An endpoint side whose answers a test gives by hand. */
class Receivers {
  readonly underWay = new Map<EventId, (outcome: AttemptOutcome | Error) => void>()
  readonly seen: { id: EventId; webhookId: WebhookId }[] = []

  readonly attempt = (event: ClaimedEvent, signal: AbortSignal): Promise<AttemptOutcome> => {
    assert.ok(!this.underWay.has(event.id), 'claimed twice at a time')
    assert.equal(event.payload, event.id)
    this.seen.push(event)
    const { promise, resolve, reject } = Promise.withResolvers<AttemptOutcome>()
    const end = (outcome: AttemptOutcome | Error) => {
      this.underWay.delete(event.id)
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    this.underWay.set(event.id, end)
    signal.addEventListener('abort', () => end({ state: 'aborted' }))
    return promise
  }

  answer(id: EventId, status: number): void {
    const times = { at: NOW, endedAt: NOW, durationMs: 1 }
    const failure = { error: 'status', detail: '', retryAfter: null } as const
    this.underWay.get(id)?.(
      status === 200
        ? { state: 'delivered', status, ...times }
        : { state: 'rejected', status, ...failure, ...times },
    )
  }

  breakAll(): void {
    for (const end of this.underWay.values()) end(new Error('a bug'))
  }

  answerAll(status = 200): void {
    for (const id of [...this.underWay.keys()]) this.answer(id, status)
  }
}

type Over = { record?: (record: DeliveryAttemptRecord) => Promise<unknown>; now?: () => number }

function dispatch(store: Store, over: Over = {}) {
  const receivers = new Receivers()
  const errors: unknown[] = []
  const planRetry = (failed: Parameters<typeof nextAttemptAt>[0]) => nextAttemptAt(failed, 0)
  const dispatcher = new Dispatcher({
    store,
    clock: { now: over.now ?? (() => NOW) },
    leaseMs: LEASE_MS,
    attempt: receivers.attempt,
    record: over.record ?? ((made) => recordAttempts({ store, planRetry }, [made])),
    onError: (error) => errors.push(error),
  })
  const reach = (count: number) =>
    until(async () => (receivers.underWay.size === count ? true : null))
  return { dispatcher, receivers, errors, reach }
}

const statusOf = async (store: Store, id: EventId) =>
  (await store.deliveries.find(ALICE, id))?.status

describeEachDatabase('the dispatcher', (open) => {
  it('has ten under way to an endpoint, and the next as soon as one ends', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const ids = await givenDeliveries(store, { owner: ALICE, webhookId, count: 25 })
    const { dispatcher, receivers, reach } = dispatch(store)
    dispatcher.wake([webhookId])
    await reach(10)
    assert.equal(await store.dispatches.countLeased(webhookId, NOW), 10)
    while (receivers.underWay.size > 0 || receivers.seen.length < ids.length) {
      assert.ok(receivers.underWay.size <= 10)
      receivers.answerAll()
      await nextTurn()
    }
    await dispatcher.stop(1_000)
    assert.deepEqual(receivers.seen.map(({ id }) => id).sort(), ids.toSorted())
    for (const id of ids) assert.equal(await statusOf(store, id), 'succeeded')
  })

  it('lets no endpoint wait for another', async () => {
    const store = await open()
    const slow = await givenWebhook(store, ALICE)
    const quick = await givenWebhook(store, BOB)
    await givenDeliveries(store, { owner: ALICE, webhookId: slow, count: 30 })
    const { dispatcher, receivers, reach } = dispatch(store)
    dispatcher.wake([slow])
    await reach(10)
    const [id] = await givenDeliveries(store, { owner: BOB, webhookId: quick, count: 1 })
    assert.ok(id)
    dispatcher.wake([quick])
    await reach(11)
    receivers.answer(id, 200)
    await until(async () =>
      (await store.deliveries.find(BOB, id))?.status === 'succeeded' ? true : null,
    )
    await dispatcher.stop(0)
  })

  it('finds by a sweep what was not signalled, and retries when they are due', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    assert.ok(id)
    let now = NOW
    const { dispatcher, receivers, reach } = dispatch(store, { now: () => now })
    for (const waitMs of [0, 5_000, 60_000, 600_000, 3_600_000]) {
      now = NOW + waitMs - 1
      await dispatcher.sweep()
      assert.equal(receivers.underWay.size, 0)
      now = NOW + waitMs
      await dispatcher.sweep()
      await reach(1)
      receivers.answerAll(500)
      const made = receivers.seen.length
      await until(async () =>
        (await store.deliveries.find(ALICE, id))?.attempts.length === made ? true : null,
      )
    }
    now = NOW + 100 * 3_600_000
    await dispatcher.sweep()
    await dispatcher.stop(1_000)
    assert.equal(receivers.seen.length, 5)
    assert.equal(await statusOf(store, id), 'failed')
  })

  it('gives back at a stop what does not end in time, still due', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [quick, hanging] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 2 })
    assert.ok(quick && hanging)
    const { dispatcher, receivers, reach } = dispatch(store)
    dispatcher.wake([webhookId])
    await reach(2)
    const stopped = dispatcher.stop(50)
    receivers.answer(quick, 200)
    await stopped
    dispatcher.wake([webhookId])
    await dispatcher.sweep()
    assert.equal(receivers.seen.length, 2)
    assert.equal(await statusOf(store, quick), 'succeeded')
    const left = await store.deliveries.find(ALICE, hanging)
    assert.deepEqual([left?.status, left?.attempts.length], ['pending', 0])
    assert.equal(await store.dispatches.countLeased(webhookId, NOW), 0)
  })

  it('claims again what a process left behind, when its lease has run out', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    let now = NOW
    const dead = dispatch(store)
    dead.dispatcher.wake([webhookId])
    await dead.reach(1)
    const { dispatcher, receivers, reach } = dispatch(store, { now: () => now })
    now = NOW + LEASE_MS - 1
    await dispatcher.sweep()
    assert.equal(receivers.seen.length, 0)
    now = NOW + LEASE_MS
    await dispatcher.sweep()
    await reach(1)
    assert.deepEqual(receivers.seen[0]?.id, dead.receivers.seen[0]?.id)

    // The dead one was only slow: its result is logged, but does not change the state.
    dead.receivers.answerAll(500)
    await dead.dispatcher.stop(1_000)
    const id = receivers.seen[0]?.id
    assert.ok(id)
    assert.equal((await store.dispatches.lockStates([id])).get(id)?.attemptsMade, 0)
    receivers.answerAll()
    await dispatcher.stop(1_000)
    const delivery = await store.deliveries.find(ALICE, id)
    assert.deepEqual(
      [delivery?.status, delivery?.attempts.map(({ status }) => status)],
      ['succeeded', [500, 200]],
    )
  })

  it('writes an attempt down when the storage is back', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    assert.ok(id)
    let failures = 1
    const { dispatcher, receivers, errors, reach } = dispatch(store, {
      record: async (made) => {
        if (failures-- > 0) throw new Error('away')
        return recordAttempts({ store, planRetry: () => null }, [made])
      },
    })
    dispatcher.wake([webhookId])
    await reach(1)
    receivers.answerAll()
    await until(async () => ((await statusOf(store, id)) === 'succeeded' ? true : null))
    assert.equal(errors.length, 1)
    assert.equal(receivers.seen.length, 1)
    await dispatcher.stop(1_000)
  })

  for (const status of [200, 500]) {
    it(`logs an attempt (${status}) once when the confirmation of its commit was lost`, async () => {
      const store = await open()
      const webhookId = await givenWebhook(store, ALICE)
      const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
      assert.ok(id)
      let tries = 0
      const { dispatcher, receivers, reach } = dispatch(store, {
        record: async (made) => {
          await recordAttempts({ store, planRetry: () => new Date(NOW + 60_000) }, [made])
          tries += 1
          if (tries === 1) throw new Error('away')
        },
      })
      dispatcher.wake([webhookId])
      await reach(1)
      receivers.answerAll(status)
      await until(async () => (tries === 2 ? true : null))
      await dispatcher.stop(1_000)
      const delivery = await store.deliveries.find(ALICE, id)
      assert.deepEqual(
        delivery?.attempts.map((attempt) => attempt.status),
        [status],
      )
      assert.equal((await store.dispatches.lockStates([id])).get(id)?.attemptsMade, 1)
    })
  }

  it('counts a mistake of ours as a failed attempt, and logs it', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    assert.ok(id)
    const { dispatcher, receivers, errors, reach } = dispatch(store)
    dispatcher.wake([webhookId])
    await reach(1)
    receivers.breakAll()
    const delivery = await until(async () => {
      const found = await store.deliveries.find(ALICE, id)
      return found?.attempts.length === 1 ? found : null
    })
    assert.deepEqual([delivery.status, delivery.attempts[0]?.error], ['pending', 'internal'])
    assert.equal(errors.length, 1)
    await dispatcher.stop(1_000)
  })

  it('sends nothing to a webhook that was deleted or disabled, and gives up what is due', async () => {
    const store = await open()
    const deleted = await givenWebhook(store, ALICE)
    const disabled = await givenWebhook(store, ALICE)
    const ids = [
      ...(await givenDeliveries(store, { owner: ALICE, webhookId: deleted, count: 2 })),
      ...(await givenDeliveries(store, { owner: ALICE, webhookId: disabled, count: 2 })),
    ]
    await store.webhooks.delete(ALICE, deleted)
    await store.webhooks.disable(disabled, NOW)
    const { dispatcher, receivers } = dispatch(store)
    await dispatcher.sweep()
    for (const id of ids) {
      await until(async () => ((await statusOf(store, id)) === 'failed' ? true : null))
    }
    await dispatcher.stop(1_000)
    assert.equal(receivers.seen.length, 0)
    assert.deepEqual(await store.dispatches.listDue(NOW), [])
  })

  it('shares its work with another one: nothing twice, ten to an endpoint in all', async () => {
    const store = await open()
    const webhooks = await Promise.all([1, 2, 3].map(() => givenWebhook(store, ALICE)))
    const ids: EventId[] = []
    for (const webhookId of webhooks) {
      ids.push(...(await givenDeliveries(store, { owner: ALICE, webhookId, count: 40 })))
    }
    const pair = [dispatch(store), dispatch(store)]
    const seen = () => pair.flatMap(({ receivers }) => receivers.seen)
    await until(async () => {
      for (const { dispatcher } of pair) void dispatcher.sweep()
      await nextTurn()
      const underWay = pair.flatMap(({ receivers }) => [...receivers.underWay.keys()])
      assert.equal(new Set(underWay).size, underWay.length, 'claimed twice at a time')
      for (const webhookId of webhooks) {
        assert.ok((await store.dispatches.countLeased(webhookId, NOW)) <= 10)
      }
      for (const { receivers } of pair) receivers.answerAll()
      return seen().length === ids.length ? true : null
    })
    for (const { dispatcher } of pair) await dispatcher.stop(1_000)
    assert.deepEqual(
      seen()
        .map(({ id }) => id)
        .sort(),
      ids.toSorted(),
    )
    for (const id of ids) assert.equal(await statusOf(store, id), 'succeeded')
  })
})
