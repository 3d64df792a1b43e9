import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestAccount } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

// Enough requests for a burst; the numbers of waits are what is tested here.
const ENV = { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=none' }

async function waiters(service: TestService, dev: TestAccount) {
  const inbox = await dev.inboxes.create()
  const wait = (node: TestAccount = dev, signal?: AbortSignal) =>
    node.get(
      `/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`,
      signal === undefined ? {} : { signal },
    )
  const arrive = () => service.sendMail({ to: inbox.emailAddress })
  return { inbox, wait, arrive }
}

/** Resolves with the status of whichever answers that were refused; the rest are held. */
async function refusals(calls: readonly Promise<{ status: number }>[], count: number) {
  const refused: number[] = []
  for (const call of calls) {
    call.then(
      ({ status }) => refused.push(status),
      () => {},
    )
  }
  return until(async () => (refused.length >= count ? refused : null))
}

onEachDatabase('concurrent waits', (create, name) => {
  it('are as many as the plan allows, exactly', async () => {
    await using database = await create()
    await using service = await startService({ database, env: ENV })
    const dev = await service.register()
    const { inbox, wait, arrive } = await waiters(service, dev)
    const calls = Array.from({ length: 10 }, () => wait())
    assert.deepEqual(await refusals(calls, 8), Array(8).fill(429))
    const refused = await dev.post(`/v1/inboxes/${inbox.id}/assert`, {
      assertions: [{ type: 'otpPresent' }],
      timeoutSeconds: 1,
    })
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.headers['retry-after']],
      [429, 'concurrent_waits_exceeded', '1'],
    )
    assert.match(
      refused.body.error.message,
      /2 waits at a time\. Try again in 1 second\. If you run/,
    )
    await arrive()
    const answers = await Promise.all(calls)
    assert.equal(answers.filter(({ status }) => status === 200).length, 2)
    // Both places are free again, one after the other and at once.
    for (let i = 0; i < 5; i++) assert.equal((await wait()).status, 200)
    assert.deepEqual(
      (await Promise.all([wait(), wait()])).map(({ status }) => status),
      [200, 200],
    )
  })

  it('give their place back when the client goes', async () => {
    await using database = await create()
    await using service = await startService({ database, env: ENV })
    const dev = await service.register()
    const { inbox, wait } = await waiters(service, dev)
    const gone = new AbortController()
    const calls = [1, 2, 3].map(() => wait(dev, gone.signal))
    const settled = Promise.allSettled(calls)
    await refusals(calls, 1)
    gone.abort()
    await settled
    const status = await until(async () => {
      const answer = await dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=0`)
      return answer.status === 429 ? null : answer.status
    })
    assert.equal(status, 408)
  })

  it('include event streams, and none is left behind by HEAD', async () => {
    await using database = await create()
    await using service = await startService({ database, env: ENV })
    const dev = await service.register()
    const { inbox } = await waiters(service, dev)
    const path = '/v1/events'
    for (let i = 0; i < 5; i++) assert.equal((await dev.send('HEAD', path)).status, 405)
    const { url, headers } = dev.streamUrl(path)
    const leave = new AbortController()
    const open = () => fetch(url, { headers, signal: leave.signal })
    // Kept: fetch ends a stream whose response was collected as garbage.
    const streams = [await open(), await open()]
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    )
    const third = await dev.get(path)
    assert.deepEqual([third.status, third.body.error.code], [429, 'concurrent_waits_exceeded'])
    const look = async () => (await dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=0`)).status
    assert.equal(await look(), 429)
    leave.abort()
    await Promise.allSettled(streams.map((stream) => stream.text()))
    assert.equal(await until(async () => ((await look()) === 429 ? null : 'free')), 'free')
    // A stream that is refused gives its place back as well.
    for (let i = 0; i < 3; i++) {
      assert.equal((await dev.get('/v1/events?inbox=inb_nothing')).status, 404)
    }
  })

  if (name === 'PostgreSQL') {
    it('are counted over all nodes', async () => {
      await using database = await create()
      await using one = await startService({ database, env: ENV })
      await using two = await startService({ database, env: ENV })
      const dev = await one.register()
      const { wait, arrive } = await waiters(one, dev)
      const other = two.account(dev.key)
      const calls = Array.from({ length: 12 }, (_, i) => wait(i % 2 === 0 ? dev : other))
      assert.deepEqual(await refusals(calls, 10), Array(10).fill(429))
      await arrive()
      const answers = await Promise.all(calls)
      assert.equal(answers.filter(({ status }) => status === 200).length, 2)
    })
  }
})
