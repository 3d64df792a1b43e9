// The sending side is killed again and again under load.
//
//   npm run soak -- --only dispatcher    10,000 events and 500 kills; otherwise a short form

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AccountId, EventId, InboxId, WebhookId } from '@mayfly/contract'
import { IS_SOAK, soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createSecretBox } from '../../src/platform/secret-box.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import { createReceivers, type Received, type Receiver } from '../testing-receiver.ts'
import { givenInbox } from '../testing-store.ts'
import { until } from '../testing-until.ts'

const KILLS = soakRounds({ short: 2, long: 500 })
const EVENTS_A_KILL = IS_SOAK ? 20 : 50
const ENDPOINTS = 20
const FAILING_PERCENT = 30

/** Longest time without a request while deliveries are pending: three leases of the dispatcher. */
const STUCK_MS = 30_000

const PROGRAM = fileURLToPath(new URL('../testing-dispatcher-process.ts', import.meta.url))
const OWNER = 'acc_owner' as AccountId // A brand by hand: the test needs a fixed id.

const ids = createIds(systemClock)

/** What endpoints saw of one event. */
type Seen = { requests: number; taken: number; underWay: number; readonly body: string }

/** Endpoints that fail now and then, and watch over what they get. */
class Witness {
  requests = 0
  readonly seen = new Map<string, Seen>()
  readonly wrongs: string[] = []

  readonly behaviour = ({ eventId, body }: Received, response: ServerResponse): void => {
    const event = this.seen.get(eventId) ?? { requests: 0, taken: 0, underWay: 0, body }
    this.seen.set(eventId, event)
    this.requests += 1
    event.requests += 1
    event.underWay += 1
    if (event.underWay > 1) this.wrongs.push(`${eventId} came twice at a time`)
    if (event.body !== body) this.wrongs.push(`${eventId} came with other bytes`)
    response.once('close', () => {
      event.underWay -= 1
    })
    setTimeout(() => {
      const fails = randomInt(100) < FAILING_PERCENT
      if (!fails) event.taken += 1
      response.writeHead(fails ? 500 : 200).end()
    }, randomInt(20))
  }
}

async function givenEndpoints(store: Store, key: Buffer, receivers: readonly Receiver[]) {
  const email = 'owner@example.com'
  await store.accounts.add({ id: OWNER, email, name: null, plan: 'unlimited', createdAt: 0 })
  const box = createSecretBox(key)
  const endpoints: { id: WebhookId; url: string }[] = []
  for (let i = 0; i < ENDPOINTS; i++) {
    const webhook = { id: ids.next('webhook'), url: `${receivers[i % receivers.length]?.url}/${i}` }
    const secretSealed = box.seal('whsec_AAAA')
    await store.webhooks.add(OWNER, { ...webhook, secretSealed, createdAt: Date.now() })
    endpoints.push(webhook)
  }
  return endpoints
}

/** Events of an inbox for random endpoints. */
function makeEvents(
  inboxId: InboxId,
  endpoints: readonly { id: WebhookId; url: string }[],
  count: number,
) {
  return Array.from({ length: count }, () => {
    const id = ids.next('event')
    const endpoint = endpoints[randomInt(endpoints.length)]
    assert.ok(endpoint)
    const payload = JSON.stringify({ id, filler: randomBytes(randomInt(200)).toString('hex') })
    const about = { webhookId: endpoint.id, url: endpoint.url, payload, createdAt: Date.now() }
    return { id, accountId: OWNER, inboxId, messageId: ids.next('message'), ...about }
  })
}

async function startDispatcher(
  env: Readonly<Record<string, string>>,
  started: ChildProcess[],
): Promise<ChildProcess> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MAYFLY_'))
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Kills a dispatcher at a random moment while it sends, so many times; the last one lives. */
async function killAgainAndAgain(
  kills: number,
  start: () => Promise<ChildProcess>,
  giveWork: () => Promise<void>,
): Promise<ChildProcess> {
  const progress = soakProgress('kills of a dispatcher', kills)
  let child = await start()
  for (let i = 0; i < kills; i++) {
    progress(i)
    await giveWork()
    await delay(randomInt(1_500))
    await kill(child)
    child = await start()
  }
  return child
}

/** Waits while requests come, as long as a busy machine needs for what the kills left behind. */
async function untilDone(store: Store, witness: Witness): Promise<void> {
  let { requests } = witness
  let requestedAt = Date.now()
  for (;;) {
    // Due far in the future counts as due: nothing may be left pending.
    const pending = await store.dispatches.listDue(Date.now() + 1_000_000_000)
    if (pending.length === 0) return
    if (witness.requests > requests) {
      requests = witness.requests
      requestedAt = Date.now()
    }
    const isStuck = Date.now() > requestedAt + STUCK_MS
    assert.ok(!isStuck, `stuck: deliveries to ${pending.join(', ')}`)
    await delay(100)
  }
}

async function assertAllDelivered(
  store: Store,
  payloads: ReadonlyMap<EventId, string>,
  { seen, wrongs }: Witness,
): Promise<void> {
  assert.deepEqual(wrongs, [])
  let failed = 0
  for (const [id, payload] of payloads) {
    const delivery = await store.deliveries.find(OWNER, id)
    const event = seen.get(id)
    assert.ok(delivery && event, `${id} was lost`)
    assert.equal(event.body, payload)
    const successes = delivery.attempts.filter(({ error }) => error === null)
    assert.ok(delivery.attempts.length <= 5, `${id} has ${delivery.attempts.length} attempts`)
    assert.ok(event.requests >= delivery.attempts.length)
    if (delivery.status === 'succeeded') {
      assert.ok(successes.length > 0 && event.taken > 0)
    } else {
      assert.deepEqual([delivery.status, successes.length], ['failed', 0])
      assert.equal(delivery.attempts.length, 5)
      failed += 1
    }
  }
  assert.ok(failed < payloads.size / 20, `${failed} failed five times`)
}

async function run(database: TestDatabase, processes: number): Promise<void> {
  await using receivers = await createReceivers()
  const witness = new Witness()
  const opened = await Promise.all([1, 2, 3].map(() => receivers.open(witness.behaviour)))
  const key = randomBytes(32)
  const store = await openStore({ url: database.url, exclusive: false })
  const env = {
    ...receivers.env,
    MAYFLY_DATABASE_URL: database.url,
    MAYFLY_SECRET_KEY: key.toString('base64'),
  }
  const started: ChildProcess[] = []
  const start = () => startDispatcher(env, started)
  try {
    const endpoints = await givenEndpoints(store, key, opened)
    const { id: inboxId } = await givenInbox(store, { owner: OWNER })
    const payloads = new Map<EventId, string>()
    const giveWork = async () => {
      const { requests } = witness
      const events = makeEvents(inboxId, endpoints, EVENTS_A_KILL)
      for (const { id, payload } of events) payloads.set(id, payload)
      await store.deliveries.add(events)
      // A kill that finds nothing under way tests nothing.
      await until(async () => (witness.requests > requests ? true : null))
    }
    const killing = Array.from({ length: processes }, () =>
      killAgainAndAgain(Math.ceil(KILLS / processes), start, giveWork),
    )
    const left = await Promise.all(killing)
    await untilDone(store, witness)
    await Promise.all(left.map(kill))
    await assertAllDelivered(store, payloads, witness)
  } finally {
    // After a failure some are alive.
    for (const child of started) child.kill('SIGKILL')
    await store.close()
  }
}

onEachDatabase('a sending side that is killed', (create, name) => {
  // An embedded store has one process. The short form tries PostgreSQL with two alone.
  const counts = name === 'SQLite' ? [1] : IS_SOAK ? [1, 2] : [2]
  for (const processes of counts) {
    const title = 'loses nothing, leaves nothing stuck, sends nothing twice at a time'
    it(`${title} (${processes} at once)`, async () => {
      await using database = await create()
      await run(database, processes)
    })
  }
})
