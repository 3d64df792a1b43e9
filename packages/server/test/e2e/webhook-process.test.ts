import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountWithKey, registerAccountAt, type TestAccount } from '../testing-account.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { createReceivers, type Receiver } from '../testing-receiver.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

type Env = Readonly<Record<string, string>>

const settings = (database: TestDatabase, trusting: Env): Env => ({
  ...trusting,
  MAYFLY_DATABASE_URL: database.url,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  // Nobody answers there, at once: a stop waits for sender checks.
  MAYFLY_DNS_SERVERS: '127.0.0.1:9',
})

/** Sends two mails and kills the process while the first is pushed; the key of the account. */
async function crashWhilePushing(env: Env, receiver: Receiver): Promise<string> {
  await using server = startServerProcess(env)
  const { httpUrl, smtpPort } = await server.ready
  const dev = await registerAccountAt(httpUrl)
  await dev.webhooks.create(receiver.url)
  const inbox = await dev.inboxes.create()
  const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress }])
  assert.match(String(answer?.mail), /^250 /)
  await receiver.until(1)
  await sendMails(smtpPort, [{ to: inbox.emailAddress }])
  server.child.kill('SIGKILL')
  await server.ended
  return dev.key
}

/** Stops the process while it sends on demand, after what it sends by itself. */
async function stopWhileReplaying(
  env: Env,
  key: string,
  { receiver, resent }: { readonly receiver: Receiver; readonly resent: number },
): Promise<void> {
  const crashedAt = receiver.received.length
  await using server = startServerProcess(env)
  const dev = accountWithKey((await server.ready).httpUrl, key)
  const { id } = first((await dev.webhooks.deliveries()).deliveries)
  const before = (await receiver.until(crashedAt + resent)).length
  const replay = dev.post(`/v1/webhooks/deliveries/${id}/replay`)
  await receiver.until(before + 1)
  const startedAt = performance.now()
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0, server.output())
  assert.ok(performance.now() - startedAt < 9_000, 'the stop took too long')
  assert.doesNotMatch(server.output(), /not all could be finished/)
  const answer = await replay
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'shutting_down'])
}

/** All deliveries once they have succeeded. */
function succeeded(dev: TestAccount) {
  return until(async () => {
    const { deliveries } = await dev.webhooks.deliveries()
    const isDone = deliveries.every(({ status }) => status === 'succeeded')
    return isDone ? deliveries : null
  })
}

onEachDatabase('webhooks of a process', (create, name) => {
  it('are sent after a crash and after a stop, neither of which counts as a failure', async () => {
    await using database = await create()
    await using receivers = await createReceivers()
    const receiver = await receivers.open(() => {})
    const env = settings(database, receivers.env)
    const key = await crashWhilePushing(env, receiver)
    // On PostgreSQL the leases of both have to run out first.
    await stopWhileReplaying(env, key, { receiver, resent: name === 'SQLite' ? 2 : 0 })

    receiver.behave(200)
    await using server = startServerProcess(env)
    const dev = accountWithKey((await server.ready).httpUrl, key)
    if (name === 'PostgreSQL') {
      // Another node might still be at what the crash left: its lease has to run out, but a replay
      // need not wait.
      for (const { id } of (await dev.webhooks.deliveries()).deliveries) {
        await dev.webhooks.replay(id)
      }
    }
    const deliveries = await succeeded(dev)
    const ids = new Set(receiver.received.map(({ eventId }) => eventId))
    assert.deepEqual([...ids].sort(), deliveries.map(({ id }) => id).sort())
    assert.equal(ids.size, 2)
    for (const { attempts } of deliveries) {
      assert.ok(attempts.length > 0 && attempts.every(({ status }) => status === 200))
    }
  })
})
