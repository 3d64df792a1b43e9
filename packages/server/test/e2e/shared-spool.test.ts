import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Inbox } from '@mayfly/client'
import pg from 'pg'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { type CreateDatabase, onEachDatabase } from '../testing-databases.ts'
import { connected } from '../testing-postgres.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

/** Keeps mails from being stored, but not from being accepted. */
async function lockMessages(url: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin; lock table message in exclusive mode')
  return { release: () => client.end() }
}

const countSpooled = (url: string) =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from spooled_mail',
    )
    return rows[0]?.count ?? 0
  })

const subjectsOf = async (inbox: Inbox) =>
  (await inbox.listMessages({ limit: 100 })).messages.map(({ subject }) => subject)

const isTaken = ({ mail }: { readonly mail: string | null }) => mail?.startsWith('250') === true

function startNode(url: string, threads = '1') {
  return startServerProcess({
    MAYFLY_DATABASE_URL: url,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_SMTP_THREADS: threads,
  })
}

/** Two nodes on one new database, and an account with its key at each of them. */
async function startNodes(create: CreateDatabase, threadsOfSecond?: string) {
  await using resources = new AsyncDisposableStack()
  const { url } = resources.use(await create())
  const first = resources.use(startNode(url))
  const second = resources.use(startNode(url, threadsOfSecond))
  const [firstAt, secondAt] = await Promise.all([first.ready, second.ready])
  const owner = await registerAccountAt(firstAt.httpUrl)
  const kept = resources.move()
  return {
    ...{ url, owner, second },
    ports: [firstAt.smtpPort, secondAt.smtpPort] as const,
    onSecond: accountWithKey(secondAt.httpUrl, owner.key),
    registerOnSecond: (email: string) => registerAccountAt(secondAt.httpUrl, email),
    createInboxes: (count: number) =>
      Promise.all(Array.from({ length: count }, () => owner.inboxes.create())),
    killFirst: async () => {
      first.child.kill('SIGKILL')
      await first.ended
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** An inbox whose mail was accepted, and when, by `performance.now()`. */
type Accepted = { readonly inbox: Inbox; readonly atMs: number }

/** Of mails at the same time all but the first, which is being stored, are accepted. */
async function sendAccepted(
  port: number,
  url: string,
  inboxes: readonly Inbox[],
): Promise<readonly Accepted[]> {
  const accepted: Accepted[] = []
  for (const inbox of inboxes) {
    sendMails(port, [{ to: inbox.emailAddress, subject: 'first' }]).then(
      ([answer]) => {
        if (answer === undefined || !isTaken(answer)) return
        accepted.push({ inbox, atMs: performance.now() })
      },
      // Some tests kill the node.
      () => {},
    )
  }
  await until(async () => (accepted.length >= inboxes.length - 1 ? true : null))
  assert.equal(await countSpooled(url), accepted.length)
  return [...accepted]
}

onEachDatabase('mails that a node has accepted and not stored', (create, name) => {
  if (name !== 'PostgreSQL') return

  for (const threads of ['1', '0']) {
    it(`are stored by another node after kill -9, which has ${threads} receiving threads`, async () => {
      await using nodes = await startNodes(create, threads)
      const { url, ports, onSecond } = nodes
      const inboxes = await nodes.createInboxes(20)
      const lock = await lockMessages(url)
      const accepted = await sendAccepted(ports[0], url, inboxes)
      await nodes.killFirst()
      await lock.release()

      const found = await Promise.all(
        accepted.map(async ({ inbox }) => subjectsOf(await onSecond.inboxes.get(inbox.id))),
      )
      assert.deepEqual(
        found,
        accepted.map(() => ['first']),
      )
      assert.equal(await countSpooled(url), 0)
      const log = nodes.second.output()
      assert.match(log, /storing mails that another process or thread has accepted/)
    })
  }

  it('come to a wait at another node after kill -9, at the latest when its time is up', async () => {
    await using nodes = await startNodes(create)
    const { url, ports, onSecond } = nodes
    const inboxes = await nodes.createInboxes(5)
    const lock = await lockMessages(url)
    const waiting = inboxes.map(async ({ id }) => {
      const inbox = await onSecond.inboxes.get(id)
      const untilMs = performance.now() + 2_000
      const isFound = await inbox.waitForMessage({ timeoutSeconds: 2 }).then(
        () => true,
        () => false,
      )
      return { id, untilMs, isFound }
    })
    const accepted = await sendAccepted(ports[0], url, inboxes)
    await nodes.killFirst()
    await lock.release()
    const waits = await Promise.all(waiting)
    const missed = accepted.filter(({ inbox, atMs }) => {
      const wait = waits.find(({ id }) => id === inbox.id)
      // On a busy machine a mail may be accepted after the time of its wait.
      return wait === undefined || (!wait.isFound && atMs < wait.untilMs)
    })
    assert.deepEqual(missed, [])
  })

  it('are waited for by requests and by mails for the same inbox at another node', async () => {
    await using nodes = await startNodes(create)
    const { url, ports, onSecond } = nodes
    const lock = await lockMessages(url)
    const [first] = await sendAccepted(ports[0], url, await nodes.createInboxes(10))
    assert.ok(first)
    const { inbox } = first
    let isAnswered = false
    const reading = onSecond.inboxes
      .get(inbox.id)
      .then(subjectsOf)
      .finally(() => {
        isAnswered = true
      })
    const second = sendMails(ports[1], [{ to: inbox.emailAddress, subject: 'second' }])
    // Meanwhile requests that are not about mails are answered, and those of other accounts.
    await onSecond.inboxes.create()
    const other = await nodes.registerOnSecond('other@example.com')
    await other.inboxes.list()
    assert.equal(isAnswered, false)
    await lock.release()
    assert.ok((await reading).includes('first'))
    assert.ok((await second).every(isTaken))
    assert.deepEqual(await subjectsOf(inbox), ['second', 'first'], 'newest first')
  })

  it('can be read at any node by whoever asks after the 250', async () => {
    await using nodes = await startNodes(create)
    const { url, owner, onSecond, ports } = nodes
    const missing: string[] = []
    const work = async (client: number) => {
      const isOdd = client % 2 === 1
      for (let i = 0; i < 20; i++) {
        const inbox = await owner.inboxes.create()
        const [answer] = await sendMails(ports[isOdd ? 1 : 0], [{ to: inbox.emailAddress }])
        assert.ok(answer !== undefined && isTaken(answer))
        const read = await (isOdd ? owner : onSecond).inboxes.get(inbox.id)
        if (read.messageCount !== 1) missing.push(`${client}-${i}`)
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, client) => work(client)))
    assert.deepEqual(missing, [])
    assert.equal(await countSpooled(url), 0)
  })

  it('come to waits at another node during a burst, and are there once after it', async () => {
    await using nodes = await startNodes(create)
    const { ports, onSecond } = nodes
    const flooded = await nodes.createInboxes(60)
    const flood = async () => {
      const mails = flooded.map(({ emailAddress }) => ({ to: emailAddress, subject: 'flood' }))
      assert.ok((await sendMails(ports[0], mails)).every(isTaken))
    }
    const wait = async () => {
      for (let i = 0; i < 5; i++) {
        const inbox = await onSecond.inboxes.create()
        const waiting = inbox.waitForMessage({ timeoutSeconds: 30 })
        await sendMails(ports[0], [{ to: inbox.emailAddress, subject: 'awaited' }])
        assert.equal((await waiting).subject, 'awaited')
        assert.deepEqual(await subjectsOf(inbox), ['awaited'])
      }
    }
    await Promise.all([...Array.from({ length: 12 }, flood), ...Array.from({ length: 4 }, wait)])
    const found = await Promise.all(
      flooded.map(async ({ id }) => subjectsOf(await onSecond.inboxes.get(id))),
    )
    assert.deepEqual(
      found.map((subjects) => subjects.length),
      flooded.map(() => 12),
    )
  })
})
