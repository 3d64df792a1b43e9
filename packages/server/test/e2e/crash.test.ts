import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '@mayfly/client'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'

/** Kills on each database; the long form has a thousand. */
const CYCLES = soakRounds({ short: 2, long: 1_000 })

/** Clients that send at the same time. */
const CLIENTS = 8

/** Longest time between the first acknowledgement and the kill. */
const LIFE_MS_MAX = 150

/** Subjects of all messages of an inbox. */
async function subjects(inbox: Inbox): Promise<(string | null)[]> {
  const found: (string | null)[] = []
  let cursor: string | undefined
  do {
    const page = await inbox.listMessages({ limit: 100, cursor })
    found.push(...page.messages.map(({ subject }) => subject))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return found
}

/** Sends until the connection breaks; the subjects that were acknowledged. */
async function sendUntilKilled(
  target: { readonly port: number; readonly to: string },
  name: string,
  onAcknowledged: () => void,
): Promise<string[]> {
  const { port, to } = target
  const acknowledged: string[] = []
  try {
    for (let i = 0; ; i++) {
      const subject = `${name} ${i}`
      const [answer] = await sendMails(port, [{ to, subject }])
      if (answer?.mail?.startsWith('250') !== true) continue
      acknowledged.push(subject)
      onAcknowledged()
    }
  } catch {
    // The kill.
    return acknowledged
  }
}

onEachDatabase('kill -9 under load', (create, name) => {
  it(`loses no acknowledged mail and doubles none, ${CYCLES} times`, async () => {
    await using database = await create()
    const env = {
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_DEFAULT_PLAN: 'unlimited',
      MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      MAYFLY_LOG_LEVEL: 'info',
      MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    }
    let key = ''
    let last: { inboxId: string; acknowledged: readonly string[] } | null = null
    let total = 0
    const progress = soakProgress(`kills on ${name}`, CYCLES)
    for (let cycle = 0; cycle <= CYCLES; cycle++) {
      progress(cycle)
      await using server = startServerProcess(env)
      const { httpUrl, smtpPort } = await server.ready
      const owner = key === '' ? await registerAccountAt(httpUrl) : accountWithKey(httpUrl, key)
      key = owner.key
      if (last !== null) {
        const stored = await subjects(await owner.inboxes.get(last.inboxId))
        assert.equal(new Set(stored).size, stored.length, 'a mail was stored twice')
        const lost: string[] = last.acknowledged.filter((one) => !stored.includes(one))
        assert.deepEqual(lost, [], `cycle ${cycle}: acknowledged and lost`)
        total += last.acknowledged.length
      }
      if (cycle === CYCLES) break
      const inbox = await owner.inboxes.create()
      const first = Promise.withResolvers<void>()
      const target = { port: smtpPort, to: inbox.emailAddress }
      const sending = Array.from({ length: CLIENTS }, (_, i) =>
        sendUntilKilled(target, `${cycle}-${i}`, first.resolve),
      )
      // Not before the first is acknowledged: a kill that finds nothing under way tests nothing.
      await first.promise
      await delay(Math.random() * LIFE_MS_MAX)
      server.child.kill('SIGKILL')
      last = { inboxId: inbox.id, acknowledged: (await Promise.all(sending)).flat() }
    }
    assert.ok(total >= CYCLES, `only ${total} mails were acknowledged: the test tested nothing`)
  })
})
