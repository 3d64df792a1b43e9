import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '@mayfly/client'
import { IS_SOAK, soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { sqlitePathOf } from '../../src/store/sqlite/path.ts'
import { accountWithKey, registerAccountAt, type TestAccount } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { connected } from '../testing-postgres.ts'
import { STARTED_AGAIN, startServerProcess } from '../testing-server-process.ts'
import { sendUntilClosed } from '../testing-smtp-burst.ts'
import { until } from '../testing-until.ts'

const CYCLES = soakRounds({ short: 1, long: 100 })
const CLIENTS = 20
const READERS = 3

/** Of each client: enough that hardly any mail waits for one before it to the same inbox. */
const INBOXES = 60

/** From the first mail to the kill, at least and at most. */
const LIFE_MS = [400, 1_200] as const

const LONG = { timeout: 24 * 60 * 60_000 }

/** Reads until the service is gone: mails that are read are stored before others. */
async function readUntilGone(owner: TestAccount, inboxes: readonly Inbox[]): Promise<void> {
  for (let isGone = false; !isGone; ) {
    const inbox = inboxes[Math.floor(Math.random() * inboxes.length)]
    await owner.get(`/v1/inboxes/${inbox?.id}/messages?limit=1`).catch(() => {
      isGone = true
    })
  }
}

/** The subjects of all messages that begin so, from the database itself: there are thousands. */
async function subjectsOf(url: string, start: string): Promise<readonly string[]> {
  const path = sqlitePathOf(url)
  if (path === null) {
    const query = 'select subject from message where subject like $1'
    const { rows } = await connected(url, (client) => client.query(query, [`${start}%`]))
    return rows.map(({ subject }) => String(subject))
  }
  const database = new DatabaseSync(path, { readOnly: true })
  const statement = database.prepare('select subject from message where subject like ?')
  const subjects = statement.all(`${start}%`).map(({ subject }) => String(subject))
  database.close()
  return subjects
}

/**
 * Whether the kill found what the test is about: on SQLite mails of a spool that were stored before
 * others that came earlier, on PostgreSQL many mails that were accepted and not stored.
 */
async function isInBurst(url: string): Promise<boolean> {
  const path = sqlitePathOf(url)
  if (path === null) {
    const query = 'select count(*)::int as count from spooled_mail'
    const { rows } = await connected(url, (client) => client.query(query))
    return rows[0].count > CLIENTS
  }
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select beyond from spool').all()
  database.close()
  return rows.some(({ beyond }) => beyond !== '[]')
}

onEachDatabase('kill -9 in a burst', (create) => {
  it(`loses no acknowledged mail and doubles none, ${CYCLES} times`, LONG, async () => {
    await using database = await create('template0')
    const env = { ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url }
    let key = ''
    let inboxes: readonly Inbox[] = []
    let inBurst = 0
    const progress = soakProgress('kills in a burst', CYCLES)
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      progress(cycle)
      let acknowledged: readonly string[] = []
      {
        await using server = startServerProcess(env)
        const { httpUrl, smtpPort: port } = await server.ready
        const owner = key === '' ? await registerAccountAt(httpUrl) : accountWithKey(httpUrl, key)
        key = owner.key
        if (cycle === 0) {
          const createSome = async () => {
            const created: Inbox[] = []
            while (created.length < INBOXES) created.push(await owner.inboxes.create())
            return created
          }
          // All at once could wait too long for the storage on a slow machine.
          inboxes = (await Promise.all(Array.from({ length: CLIENTS }, createSome))).flat()
        }
        let taken = 0
        const onTaken = () => {
          taken += 1
        }
        const sending = Array.from({ length: CLIENTS }, (_, i) => {
          const own = inboxes.slice(i * INBOXES, (i + 1) * INBOXES)
          const addresses = own.map(({ emailAddress }) => emailAddress)
          return sendUntilClosed({ port, addresses, name: `${cycle}-${i}`, onTaken })
        })
        const reading = Array.from({ length: READERS }, () => readUntilGone(owner, inboxes))
        await delay(LIFE_MS[0] + Math.random() * (LIFE_MS[1] - LIFE_MS[0]))
        await until(async () => (taken > CLIENTS ? true : null))
        server.child.kill('SIGKILL')
        acknowledged = (await Promise.all(sending)).flat()
        await Promise.all([...reading, server.ended])
      }
      inBurst += Number(await isInBurst(database.url))
      await using server = startServerProcess(env)
      const { httpUrl } = await server.ready
      // It is answered when everything is stored.
      await accountWithKey(httpUrl, key).inboxes.list({ limit: 1 })
      const stored = await subjectsOf(database.url, `${cycle}-`)
      assert.equal(new Set(stored).size, stored.length, 'a mail was stored twice')
      const found = new Set(stored)
      const lost = acknowledged.filter((subject) => !found.has(subject))
      assert.deepEqual(lost, [], `cycle ${cycle}: acknowledged and lost`)
      assert.ok(acknowledged.length > CLIENTS, 'too few mails for a burst')
    }
    // One kill alone may come at another moment.
    if (IS_SOAK) assert.ok(inBurst > CYCLES / 4, `${inBurst} kills were in a burst`)
  })
})
