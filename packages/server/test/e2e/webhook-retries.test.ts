import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Delivery } from '@mayfly/client'
import type { TestAccount } from '../testing-account.ts'
import { testClock } from '../testing-clock.ts'
import { first } from '../testing-first.ts'
import { type Behaviour, createReceivers, type Receiver } from '../testing-receiver.ts'
import { startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The newest delivery once this many attempts are in the log. */
function attempted(dev: TestAccount, attempts: number) {
  return until(async () => {
    const { deliveries } = await dev.webhooks.deliveries()
    return deliveries[0]?.attempts.length === attempts ? deliveries[0] : null
  })
}

/** Milliseconds from the last attempt to the next. */
function waitMs({ attempts, nextAttemptAt }: Delivery): number {
  return Date.parse(nextAttemptAt ?? '') - Date.parse(attempts.at(-1)?.at ?? '')
}

/** A service with a clock of the test's own, an endpoint, and one mail that was pushed to it. */
async function pushed(behaviour: Behaviour) {
  const stack = new AsyncDisposableStack()
  const receivers = stack.use(await createReceivers())
  const receiver = await receivers.open(behaviour)
  const clock = testClock(Date.UTC(2026, 0, 31))
  const service = stack.use(await startService({ clock, env: receivers.env }))
  const dev = await service.register()
  const { webhook } = await dev.webhooks.create(receiver.url)
  const inbox = await dev.inboxes.create({ ttlSeconds: 604_800 })
  const send = () => service.sendMail({ to: inbox.emailAddress })
  await send()
  const dispose = () => stack.disposeAsync()
  return { receiver, clock, dev, webhook, inbox, send, [Symbol.asyncDispose]: dispose }
}

/** Every request so far had the same id and bytes, and its own timestamp. */
function assertSameEvent(receiver: Receiver): void {
  const [first] = receiver.received
  for (const one of receiver.received) {
    assert.deepEqual([one.eventId, one.body], [first?.eventId, first?.body])
  }
  const timestamps = receiver.received.map(({ headers }) => headers['x-service-timestamp'])
  assert.equal(new Set(timestamps).size, timestamps.length)
}

describe('retries of webhooks', () => {
  it('are four, about 5 s, 1 min, 10 min and 1 h after the one before', async () => {
    await using push = await pushed(503)
    const { receiver, clock, dev } = push
    const delays = [5 * SECOND, MINUTE, 10 * MINUTE, HOUR]
    for (const [i, delayMs] of delays.entries()) {
      const delivery = await attempted(dev, i + 1)
      assert.equal(delivery.status, 'pending')
      const wait = waitMs(delivery)
      assert.ok(wait >= delayMs && wait <= delayMs * 1.2, `${wait} ms after attempt ${i + 1}`)
      clock.ms += wait
    }
    const { status, nextAttemptAt, attempts } = await attempted(dev, 5)
    assert.deepEqual([status, nextAttemptAt], ['failed', null])
    for (const attempt of attempts) {
      const { at: _, durationMs: __, ...outcome } = attempt
      const detail = 'The endpoint responded with 503; only 2xx is success.'
      assert.deepEqual(outcome, { status: 503, error: 'status', detail })
    }
    assertSameEvent(receiver)

    // A sixth would come before whatever else falls due now.
    clock.ms += 24 * HOUR
    receiver.behave(200)
    await push.send()
    await until(async () => {
      const { deliveries } = await dev.webhooks.deliveries()
      return deliveries[0]?.status === 'succeeded' ? true : null
    })
    assert.equal(receiver.received.length, 6)
  })

  it('end with the first success', async () => {
    await using push = await pushed(500)
    const { receiver, clock, dev } = push
    clock.ms += waitMs(await attempted(dev, 1))
    receiver.behave(204)
    const { status, nextAttemptAt, attempts } = await attempted(dev, 2)
    assert.deepEqual([status, nextAttemptAt], ['succeeded', null])
    assert.deepEqual(
      attempts.map((attempt) => attempt.status),
      [500, 204],
    )
    assertSameEvent(receiver)
  })

  it('come later when the endpoint asks for it, an hour at the most', async () => {
    const asked = ['90', '1', '999999']
    await using push = await pushed((_, response) => {
      response.writeHead(429, { 'retry-after': asked.shift() ?? '0' }).end()
    })
    const { clock, dev } = push
    const first = waitMs(await attempted(dev, 1))
    assert.equal(first, 90 * SECOND)
    clock.ms += first
    const second = waitMs(await attempted(dev, 2))
    assert.ok(second >= MINUTE && second <= 1.2 * MINUTE)
    clock.ms += second
    assert.equal(waitMs(await attempted(dev, 3)), HOUR)
  })

  it('end at 410, which disables the endpoint until it is registered anew', async () => {
    await using push = await pushed(500)
    const { receiver, clock, dev } = push
    await attempted(dev, 1)
    receiver.behave(410)
    clock.ms += SECOND
    await push.send()
    const gone = await until(async () => {
      const newest = first((await dev.webhooks.deliveries()).deliveries)
      return newest.status === 'failed' ? newest : null
    })
    assert.deepEqual([gone.status, gone.nextAttemptAt], ['failed', null])
    const [attempt] = gone.attempts
    assert.deepEqual([attempt?.status, attempt?.error], [410, 'gone'])
    const webhook = first(await dev.webhooks.list())
    assert.equal(webhook.disabledAt, new Date(clock.ms).toISOString())
    assert.equal(webhook.lastStatus, 410)

    // What was pending to it has ended too, and new mail is not for it.
    await until(async () => {
      const { deliveries } = await dev.webhooks.deliveries()
      return deliveries.every(({ status }) => status === 'failed') ? true : null
    })
    receiver.behave(200)
    await push.send()
    const again = await dev.webhooks.create(receiver.url)
    clock.ms += HOUR
    await push.send()
    await until(async () => (receiver.received.length >= 3 ? true : null))
    const { deliveries } = await dev.webhooks.deliveries()
    assert.equal(deliveries.length, 3)
    assert.equal(deliveries[0]?.webhookId, again.webhook.id)
  })

  it('end when a replay succeeds; one that fails counts towards no limit', async () => {
    await using push = await pushed(500)
    const { receiver, clock, dev } = push
    const { id, nextAttemptAt } = await attempted(dev, 1)
    const replay = () => {
      clock.ms += SECOND
      return dev.webhooks.replay(id)
    }
    // Four of them, a second apart: the first retry is not due before.
    for (let i = 0; i < 4; i++) {
      const { delivery, ...rest } = await replay()
      assert.deepEqual(rest, { replayed: true, eventId: id })
      assert.equal(delivery.attempts.length, i + 2)
      assert.deepEqual([delivery.status, delivery.nextAttemptAt], ['pending', nextAttemptAt])
    }
    clock.ms = Date.parse(String(nextAttemptAt))
    const retried = await attempted(dev, 6)
    assert.ok(waitMs(retried) >= MINUTE, 'it was the second by schedule')
    receiver.behave(200)
    const { delivery } = await replay()
    assert.deepEqual([delivery.status, delivery.nextAttemptAt], ['succeeded', null])
    assertSameEvent(receiver)

    // Also what was delivered can be sent again; a failure then changes nothing.
    receiver.behave(500)
    const { status, attempts } = (await replay()).delivery
    assert.deepEqual([status, attempts.at(-1)?.status], ['succeeded', 500])
  })
})
