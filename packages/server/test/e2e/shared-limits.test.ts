import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { administer } from '../testing-postgres.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { startService } from '../testing-start-service.ts'

const STREAMS_MAX = 100
const FETCHES_MAX = 4
const RUNS_PER_NODE = 6

onEachDatabase('limits over all nodes', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('allow an account its streams, and give back those of a killed node', async () => {
    await using database = await create()
    await using streams = new AsyncDisposableStack()
    await using killed = startServerProcess({
      MAYFLY_DATABASE_URL: database.url,
    })
    await using service = await startService({
      database,
      env: { MAYFLY_DEFAULT_PLAN: 'unlimited' },
    })
    const { httpUrl } = await killed.ready
    const dev = await service.register()
    const there = createApiClient(httpUrl, dev.key)
    const open = async (client: Parameters<typeof openEvents>[0], count: number) => {
      for (let i = 0; i < count; i++) streams.use(await openEvents(client))
    }
    await open(there, 60)
    await open(dev, STREAMS_MAX - 60)
    for (const client of [there, dev]) await assert.rejects(open(client, 1), /no stream: 429/)

    killed.child.kill('SIGKILL')
    await killed.ended
    await assert.rejects(open(dev, 1), /no stream: 429/)
    // A minute later.
    await administer(database.url, 'update slot set leased_until = leased_until - 60000')
    await open(dev, 60)
  })

  it('allow an account its link fetches', async () => {
    await using database = await create()
    await using site = await startSlowSite()
    const env = { MAYFLY_ALLOW_PRIVATE_NETWORK: 'true', MAYFLY_DEFAULT_PLAN: 'unlimited' }
    await using one = await startService({ database, env })
    await using other = await startService({ database, env })
    const dev = await one.register()
    const run = async (node: typeof one, inbox: { id: string; emailAddress: string }) => {
      await node.sendMail({ to: inbox.emailAddress, text: `${site.url}/${inbox.id}` })
      const { body } = await createApiClient(node.httpUrl, dev.key).post(
        `/v1/inboxes/${inbox.id}/assert`,
        { timeoutSeconds: 30, assertions: [{ type: 'linkResponds' }] },
      )
      assert.equal(body.passed, true, JSON.stringify(body))
    }
    // One after the other: the account is locked while an inbox is made.
    const inboxes = []
    for (let i = 0; i < 2 * RUNS_PER_NODE; i++) {
      inboxes.push((await dev.post('/v1/inboxes')).body.inbox)
    }
    await Promise.all(inboxes.map((inbox, i) => run(i % 2 === 0 ? one : other, inbox)))
    assert.deepEqual(site.seen(), { requests: 2 * RUNS_PER_NODE, most: FETCHES_MAX })
  })
})

/** A site that takes a while for each page, and counts how many are requested at a time. */
async function startSlowSite() {
  const seen = { requests: 0, most: 0 }
  let running = 0
  const server = createServer(async (_request, response) => {
    seen.requests += 1
    running += 1
    seen.most = Math.max(seen.most, running)
    await delay(500)
    running -= 1
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen: () => seen,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
