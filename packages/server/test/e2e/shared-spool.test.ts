import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Inbox } from '@mayfly/client'
import pg from 'pg'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
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

/** Of mails at the same time all but the first, which is being stored, are accepted. */
async function sendAccepted(
  port: number,
  url: string,
  inboxes: readonly Inbox[],
): Promise<readonly Inbox[]> {
  const accepted: Inbox[] = []
  for (const inbox of inboxes) {
    sendMails(port, [{ to: inbox.emailAddress, subject: 'first' }]).then(
      ([answer]) => {
        if (answer !== undefined && isTaken(answer)) accepted.push(inbox)
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
      await using database = await create()
      const { url } = database
      await using killed = startNode(url)
      await using other = startNode(url, threads)
      const [{ httpUrl, smtpPort }, { httpUrl: otherUrl }] = await Promise.all([
        killed.ready,
        other.ready,
      ])
      const owner = await registerAccountAt(httpUrl)
      const inboxes = await Promise.all(Array.from({ length: 20 }, () => owner.inboxes.create()))
      const lock = await lockMessages(url)
      const accepted = await sendAccepted(smtpPort, url, inboxes)
      killed.child.kill('SIGKILL')
      await killed.ended
      await lock.release()

      const onOther = accountWithKey(otherUrl, owner.key)
      const found = await Promise.all(
        accepted.map(async ({ id }) => subjectsOf(await onOther.inboxes.get(id))),
      )
      assert.deepEqual(
        found,
        accepted.map(() => ['first']),
      )
      assert.equal(await countSpooled(url), 0)
      assert.match(other.output(), /storing mails that another process or thread has accepted/)
    })
  }

  it('come to a wait at another node after kill -9, at the latest when its time is up', async () => {
    await using database = await create()
    const { url } = database
    await using killed = startNode(url)
    await using other = startNode(url)
    const [ready, otherReady] = await Promise.all([killed.ready, other.ready])
    const owner = await registerAccountAt(ready.httpUrl)
    const inboxes = await Promise.all(Array.from({ length: 5 }, () => owner.inboxes.create()))
    const lock = await lockMessages(url)
    const onOther = accountWithKey(otherReady.httpUrl, owner.key)
    const waiting = inboxes.map(async ({ id }) =>
      (await onOther.inboxes.get(id)).waitForMessage({ timeoutSeconds: 2 }).then(
        () => id,
        () => null,
      ),
    )
    const accepted = await sendAccepted(ready.smtpPort, url, inboxes)
    killed.child.kill('SIGKILL')
    await killed.ended
    await lock.release()
    const found = await Promise.all(waiting)
    assert.deepEqual(
      accepted.filter(({ id }) => !found.includes(id)),
      [],
    )
  })

  it('are waited for by requests and by mails for the same inbox at another node', async () => {
    await using database = await create()
    const { url } = database
    await using node = startNode(url)
    await using other = startNode(url)
    const [ready, otherReady] = await Promise.all([node.ready, other.ready])
    const owner = await registerAccountAt(ready.httpUrl)
    const inboxes = await Promise.all(Array.from({ length: 10 }, () => owner.inboxes.create()))
    const lock = await lockMessages(url)
    const [inbox] = await sendAccepted(ready.smtpPort, url, inboxes)
    assert.ok(inbox)
    const onOther = accountWithKey(otherReady.httpUrl, owner.key)
    let isAnswered = false
    const reading = onOther.inboxes
      .get(inbox.id)
      .then(subjectsOf)
      .finally(() => {
        isAnswered = true
      })
    const second = sendMails(otherReady.smtpPort, [{ to: inbox.emailAddress, subject: 'second' }])
    // Another request, of an account without such mails, is answered meanwhile.
    await registerAccountAt(otherReady.httpUrl, 'other@example.com')
    assert.equal(isAnswered, false)
    await lock.release()
    assert.ok((await reading).includes('first'))
    assert.ok((await second).every(isTaken))
    assert.deepEqual(await subjectsOf(inbox), ['second', 'first'], 'newest first')
  })

  it('can be read at any node by whoever asks after the 250', async () => {
    await using database = await create()
    const { url } = database
    await using first = startNode(url)
    await using second = startNode(url)
    const nodes = await Promise.all([first.ready, second.ready])
    const owner = await registerAccountAt(nodes[0].httpUrl)
    const missing: string[] = []
    const work = async (client: number) => {
      for (let i = 0; i < 20; i++) {
        const inbox = await owner.inboxes.create()
        const [to, from] = client % 2 === 0 ? nodes : nodes.toReversed()
        const [answer] = await sendMails(to?.smtpPort ?? 0, [{ to: inbox.emailAddress }])
        assert.ok(answer !== undefined && isTaken(answer))
        const read = await accountWithKey(from?.httpUrl ?? '', owner.key).inboxes.get(inbox.id)
        if (read.messageCount !== 1) missing.push(`${client}-${i}`)
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, client) => work(client)))
    assert.deepEqual(missing, [])
    assert.equal(await countSpooled(url), 0)
  })

  it('come to waits at another node during a burst, and are there once after it', async () => {
    await using database = await create()
    const { url } = database
    await using first = startNode(url)
    await using second = startNode(url)
    const [to, from] = await Promise.all([first.ready, second.ready])
    const owner = await registerAccountAt(to.httpUrl)
    const onSecond = accountWithKey(from.httpUrl, owner.key)
    const flooded = await Promise.all(Array.from({ length: 60 }, () => owner.inboxes.create()))
    const flood = async () => {
      const mails = flooded.map(({ emailAddress }) => ({ to: emailAddress, subject: 'flood' }))
      assert.ok((await sendMails(to.smtpPort, mails)).every(isTaken))
    }
    const wait = async () => {
      for (let i = 0; i < 5; i++) {
        const inbox = await onSecond.inboxes.create()
        const waiting = inbox.waitForMessage({ timeoutSeconds: 30 })
        await sendMails(to.smtpPort, [{ to: inbox.emailAddress, subject: 'awaited' }])
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
