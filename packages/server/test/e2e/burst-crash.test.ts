import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '@mayfly/client'
import { IS_SOAK, soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { sqlitePathOf } from '../../src/store/sqlite/path.ts'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { createSqlite } from '../testing-databases.ts'
import { STARTED_AGAIN, startServerProcess } from '../testing-server-process.ts'
import { sendUntilClosed } from '../testing-smtp-burst.ts'

const CYCLES = soakRounds({ short: 1, long: 100 })
const CLIENTS = 20
const READERS = 3

/** Of each client: enough that hardly any mail waits for one before it to the same inbox. */
const INBOXES = 60

/** From the first mail to the kill, at least and at most. */
const LIFE_MS = [400, 1_200] as const

/** Reads until it is aborted: mails that are read are stored before others. */
async function readUntilAborted(inboxes: readonly Inbox[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const inbox = inboxes[Math.floor(Math.random() * inboxes.length)]
    await inbox?.listMessages({ limit: 1, signal }).catch(() => {})
  }
}

/** The subjects of all messages that begin so, from the database itself: there are thousands. */
function subjectsOf(path: string, start: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const statement = database.prepare('select subject from message where subject like ?')
  const subjects = statement.all(`${start}%`).map(({ subject }) => String(subject))
  database.close()
  return subjects
}

/** Whether mails of a spool were stored before others that came earlier. */
function isOutOfOrder(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare('select beyond from spool').all()
  database.close()
  return rows.some(({ beyond }) => beyond !== '[]')
}

describe('kill -9 in a burst on SQLite', { timeout: 24 * 60 * 60_000 }, () => {
  it(`loses no acknowledged mail and doubles none, ${CYCLES} times`, async () => {
    await using database = await createSqlite()
    const path = sqlitePathOf(database.url) ?? ''
    const env = { ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url }
    let key = ''
    let outOfOrder = 0
    const progress = soakProgress('kills in a burst', CYCLES)
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      progress(cycle)
      let acknowledged: readonly string[] = []
      {
        await using server = startServerProcess(env)
        const { httpUrl, smtpPort: port } = await server.ready
        const owner = key === '' ? await registerAccountAt(httpUrl) : accountWithKey(httpUrl, key)
        key = owner.key
        const create = () => owner.inboxes.create()
        const inboxes = await Promise.all(Array.from({ length: CLIENTS * INBOXES }, create))
        const sending = Array.from({ length: CLIENTS }, (_, i) => {
          const own = inboxes.slice(i * INBOXES, (i + 1) * INBOXES)
          const addresses = own.map(({ emailAddress }) => emailAddress)
          return sendUntilClosed({ port, addresses, name: `${cycle}-${i}` })
        })
        const killed = new AbortController()
        const reading = Array.from({ length: READERS }, () =>
          readUntilAborted(inboxes, killed.signal),
        )
        await delay(LIFE_MS[0] + Math.random() * (LIFE_MS[1] - LIFE_MS[0]))
        server.child.kill('SIGKILL')
        killed.abort()
        acknowledged = (await Promise.all(sending)).flat()
        await Promise.all([...reading, server.ended])
      }
      outOfOrder += Number(isOutOfOrder(path))
      await using server = startServerProcess(env)
      const { httpUrl } = await server.ready
      // It is answered when everything is stored.
      await accountWithKey(httpUrl, key).inboxes.list({ limit: 1 })
      const stored = subjectsOf(path, `${cycle}-`)
      assert.equal(new Set(stored).size, stored.length, 'a mail was stored twice')
      const found = new Set(stored)
      const lost = acknowledged.filter((subject) => !found.has(subject))
      assert.deepEqual(lost, [], `cycle ${cycle}: acknowledged and lost`)
      assert.ok(acknowledged.length > CLIENTS, 'too few mails for a burst')
    }
    // One kill alone may find all of them in order.
    if (IS_SOAK) assert.ok(outOfOrder > CYCLES / 4, `${outOfOrder} kills found mails out of order`)
  })
})
