import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApiClient } from '../api-client.ts'
import { onEachDatabase } from '../databases.ts'
import { createReceivers } from '../receiver.ts'
import { sendMails } from '../send-mail.ts'
import { startServerProcess } from '../server-process.ts'
import { until } from '../until.ts'

onEachDatabase('webhooks of a process', (create) => {
  it('are sent after a crash, and again after a stop in the middle of an attempt', async () => {
    await using database = await create()
    await using receivers = await createReceivers()
    const receiver = await receivers.open(() => {})
    const env = {
      ...receivers.env,
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_DEFAULT_PLAN: 'unlimited',
      // Nobody answers there, at once: a stop waits for sender checks.
      MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    }
    const { key, id } = await (async () => {
      await using server = startServerProcess(env)
      const { httpUrl, smtpPort } = await server.ready
      const anonymous = createApiClient(httpUrl, null)
      const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'a@example.com' })).body
      const dev = anonymous.withKey(apiKey)
      await dev.post('/v1/webhooks', { url: receiver.url })
      const { inbox } = (await dev.post('/v1/inboxes')).body
      const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress }])
      assert.match(String(answer?.mail), /^250 /)
      const [first] = await receiver.until(1)
      // A second one that nobody had time for.
      await sendMails(smtpPort, [{ to: inbox.emailAddress }])
      server.child.kill('SIGKILL')
      await server.ended
      return { key: String(apiKey), id: first?.eventId }
    })()
    const ids = () => new Set(receiver.received.map(({ eventId }) => eventId))

    await (async () => {
      await using server = startServerProcess(env)
      const dev = createApiClient((await server.ready).httpUrl, key)
      // With PostgreSQL another node might still be at it: the lease has to run out first.
      if (database.url.startsWith('sqlite:')) {
        await until(async () => (receiver.received.length >= 3 ? true : null))
        assert.deepEqual([...ids()].length, 2)
      }
      const replay = dev.post(`/v1/webhooks/deliveries/${id}/replay`)
      const before = receiver.received.length
      await until(async () => (receiver.received.length > before ? true : null))
      const startedAt = performance.now()
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 0, server.output())
      assert.ok(performance.now() - startedAt < 9_000, 'the stop took too long')
      assert.doesNotMatch(server.output(), /not all could be finished/)
      const answer = await replay
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'shutting_down'])
    })()

    receiver.behave(200)
    await using server = startServerProcess(env)
    const dev = createApiClient((await server.ready).httpUrl, key)
    if (!database.url.startsWith('sqlite:')) {
      // What waits for a lease can be replayed at once.
      for (const { id: waiting } of (await dev.get('/v1/webhooks/deliveries')).body.deliveries) {
        await dev.post(`/v1/webhooks/deliveries/${waiting}/replay`)
      }
    }
    const deliveries = await until(async () => {
      const { deliveries } = (await dev.get('/v1/webhooks/deliveries')).body
      const isDone = deliveries.every(({ status }: { status: string }) => status === 'succeeded')
      return isDone ? deliveries : null
    })
    assert.equal(deliveries.length, 2)
    assert.equal(ids().size, 2)
    for (const { attempts } of deliveries) {
      // What was cut off was given back, not counted as a failure.
      assert.deepEqual(
        attempts.map((attempt: { status: number }) => attempt.status),
        [200],
      )
    }
  })
})
