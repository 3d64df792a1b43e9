import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { Inbox } from '@mayfly/client'
import { sqlitePathOf } from '../../src/store/sqlite/path.ts'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { createSqlite } from '../testing-databases.ts'
import { sendMails } from '../testing-send-mail.ts'
import { STARTED_AGAIN, startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

/** Keeps everybody else from writing to a database. */
function lockWrites(path: string): Disposable & { release(): void } {
  const database = new DatabaseSync(path)
  database.exec('pragma busy_timeout = 5000; begin immediate')
  return {
    release: () => database.close(),
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

/**
 * Locks the database and lets the storing thread wait for it: of two mails at the same time one is
 * accepted, and the other one is being stored.
 */
async function blockStoring(path: string, port: number, inboxes: readonly [Inbox, Inbox]) {
  const lock = lockWrites(path)
  const sending = inboxes.map(({ emailAddress: to }) => sendMails(port, [{ to, subject: 'first' }]))
  for (const one of sending) one.catch(() => {})
  await Promise.race(sending)
  return { ...lock, sent: () => Promise.all(sending) }
}

const subjectsOf = async (inbox: Inbox) =>
  (await inbox.listMessages({ limit: 100 })).messages.map(({ subject }) => subject)

const isTaken = ({ mail }: { readonly mail: string | null }) => mail?.startsWith('250') === true

describe('mails that are accepted before they are stored', () => {
  for (const { threads, threadsAfter } of [
    { threads: '1', threadsAfter: '1' },
    { threads: '2', threadsAfter: '1' },
    { threads: '1', threadsAfter: '0' },
  ]) {
    it(`survive kill -9, with ${threads} receiving threads before and ${threadsAfter} after`, async () => {
      await using database = await createSqlite()
      const path = sqlitePathOf(database.url) ?? ''
      const env = { ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url }
      const accepted: string[] = []
      let key = ''
      {
        await using server = startServerProcess({ ...env, MAYFLY_SMTP_THREADS: threads })
        const { httpUrl, smtpPort } = await server.ready
        const owner = await registerAccountAt(httpUrl)
        key = owner.key
        const inboxes = await Promise.all(Array.from({ length: 20 }, () => owner.inboxes.create()))
        using lock = lockWrites(path)
        for (const { id, emailAddress } of inboxes) {
          sendMails(smtpPort, [{ to: emailAddress, subject: 'accepted' }]).then(
            ([answer]) => {
              if (answer !== undefined && isTaken(answer)) accepted.push(id)
            },
            // The kill.
            () => {},
          )
        }
        // Each thread has begun to store one, whose sender waits.
        const expected = inboxes.length - Number(threads)
        await until(async () => (accepted.length >= expected ? true : null))
        server.child.kill('SIGKILL')
        await server.ended
        lock.release()
      }
      assert.ok(readdirSync(dirname(path)).some((file) => file.includes('-spool-')))

      await using server = startServerProcess({ ...env, MAYFLY_SMTP_THREADS: threadsAfter })
      const { httpUrl } = await server.ready
      const owner = accountWithKey(httpUrl, key)
      const found = await Promise.all(
        accepted.map(async (id) => subjectsOf(await owner.inboxes.get(id))),
      )
      assert.deepEqual(
        found,
        accepted.map(() => ['accepted']),
      )
      assert.match(server.output(), /storing mails that were accepted before a crash/)
      server.child.kill('SIGTERM')
      assert.equal(await server.ended, 0)
      const left = readdirSync(dirname(path)).filter((file) => file.includes('-spool-'))
      assert.deepEqual(left, [])
    })
  }

  it('can be read by whoever asks after the 250', async () => {
    await using database = await createSqlite()
    await using server = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url })
    const { httpUrl, smtpPort } = await server.ready
    const owner = await registerAccountAt(httpUrl)
    const missing: string[] = []
    const work = async (client: number) => {
      for (let i = 0; i < 20; i++) {
        const inbox = await owner.inboxes.create()
        const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject: 'x' }])
        assert.ok(answer !== undefined && isTaken(answer))
        if ((await subjectsOf(inbox)).length !== 1) missing.push(`${client}-${i}`)
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, client) => work(client)))
    assert.deepEqual(missing, [])
  })

  it('come to waits and lists during a burst, and are there once after it', async () => {
    await using database = await createSqlite()
    await using server = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url })
    const { httpUrl, smtpPort } = await server.ready
    const owner = await registerAccountAt(httpUrl)
    const create = () => owner.inboxes.create()
    const flooded = await Promise.all(Array.from({ length: 60 }, create))
    const flood = async () => {
      const mails = flooded.map(({ emailAddress }) => ({ to: emailAddress, subject: 'flood' }))
      const answers = await sendMails(smtpPort, mails)
      assert.ok(answers.every(isTaken))
    }
    const wait = async () => {
      for (let i = 0; i < 5; i++) {
        const inbox = await create()
        const waiting = inbox.waitForMessage({ timeoutSeconds: 30 })
        await sendMails(smtpPort, [{ to: inbox.emailAddress, subject: 'awaited' }])
        assert.equal((await waiting).subject, 'awaited')
        assert.deepEqual(await subjectsOf(inbox), ['awaited'])
      }
    }
    await Promise.all([...Array.from({ length: 12 }, flood), ...Array.from({ length: 4 }, wait)])
    const found = await Promise.all(flooded.map(subjectsOf))
    assert.deepEqual(
      found.map((subjects) => subjects.length),
      flooded.map(() => 12),
    )
  })

  it('are stored before more are accepted when an inbox has many of them', async () => {
    await using database = await createSqlite()
    const path = sqlitePathOf(database.url) ?? ''
    await using server = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url })
    const { httpUrl, smtpPort } = await server.ready
    const owner = await registerAccountAt(httpUrl)
    const create = () => owner.inboxes.create()
    const [inbox, other] = [await create(), await create()]
    const send = async (to: Inbox) => (await sendMails(smtpPort, [{ to: to.emailAddress }]))[0]
    using lock = await blockStoring(path, smtpPort, [await create(), await create()])
    // By several senders: the service gives up waiting for the lock after 5 s.
    const sent = Array.from({ length: 8 }, () =>
      sendMails(smtpPort, new Array(32).fill({ to: inbox.emailAddress })),
    )
    assert.ok((await Promise.all(sent)).flat().every(isTaken))
    let isNextTaken = false
    const next = send(inbox).then(() => {
      isNextTaken = true
    })
    // Others do not wait for it.
    assert.ok(isTaken((await send(other)) ?? { mail: null }))
    assert.equal(isNextTaken, false)
    lock.release()
    await Promise.all([next, lock.sent()])
    assert.equal((await owner.inboxes.get(inbox.id)).messageCount, 257)
  })

  it('are stored when the storage works again, and hold up nobody until then', async () => {
    await using database = await createSqlite()
    const path = sqlitePathOf(database.url) ?? ''
    await using server = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url })
    const { httpUrl, smtpPort } = await server.ready
    const owner = await registerAccountAt(httpUrl)
    const create = () => owner.inboxes.create()
    const inbox = await create()
    using lock = await blockStoring(path, smtpPort, [await create(), await create()])
    const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject: 'late' }])
    assert.ok(answer !== undefined && isTaken(answer))
    // The sender of the mail that is being stored is told; the other mail is tried again.
    assert.equal((await lock.sent()).flat().filter(isTaken).length, 1)
    // Readers do not wait for it.
    assert.deepEqual(await subjectsOf(inbox), [])
    lock.release()
    await until(async () => ((await subjectsOf(inbox)).includes('late') ? true : null))
  })
})
