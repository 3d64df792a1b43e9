import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '@mayfly/client'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { accountWithKey, registerAccountAt } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sendMails } from '../testing-send-mail.ts'
import { STARTED_AGAIN, startServerProcess } from '../testing-server-process.ts'

/** Kills on each database; the long form has a thousand. */
const CYCLES = soakRounds({ short: 2, long: 1_000 })

/** Clients that send at the same time, and that read. */
const CLIENTS = 8
const READERS = 2

/** Longest time between the first acknowledgement and the kill. */
const LIFE_MS_MAX = 300

/**
 * Inboxes that each client sends to in turns, from another one on: a mail waits for those before to
 * the same one.
 */
const INBOXES = 40

/** Subjects of all messages of an inbox. */
async function subjects(inbox: Inbox): Promise<(string | null)[]> {
  return Array.fromAsync(inbox.listMessages({ limit: 100 }), ({ subject }) => subject)
}

/** Sends until the connection breaks; the subjects that were acknowledged. */
async function sendUntilKilled(
  target: {
    readonly port: number
    readonly addresses: readonly string[]
    readonly firstAddress: number
  },
  name: string,
  onAcknowledged: () => void,
): Promise<string[]> {
  const { port, addresses, firstAddress } = target
  const acknowledged: string[] = []
  try {
    for (let i = 0; ; i++) {
      const subject = `${name} ${i}`
      const to = addresses[(firstAddress + i) % addresses.length] ?? ''
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

/** Reads until the connection breaks: mails that are read are stored before others. */
async function readUntilKilled(inboxes: readonly Inbox[], signal: AbortSignal): Promise<void> {
  try {
    for (;;) await inboxes[Math.floor(Math.random() * inboxes.length)]?.listMessages({ signal })
  } catch {
    // The kill.
  }
}

onEachDatabase('kill -9 under load', (create, name) => {
  it(`loses no acknowledged mail and doubles none, ${CYCLES} times`, async () => {
    await using database = await create()
    const env = { ...STARTED_AGAIN, MAYFLY_DATABASE_URL: database.url }
    let key = ''
    let last: { inboxIds: readonly string[]; acknowledged: readonly string[] } | null = null
    let total = 0
    const progress = soakProgress(`kills on ${name}`, CYCLES)
    for (let cycle = 0; cycle <= CYCLES; cycle++) {
      progress(cycle)
      await using server = startServerProcess(env)
      const { httpUrl, smtpPort } = await server.ready
      const owner = key === '' ? await registerAccountAt(httpUrl) : accountWithKey(httpUrl, key)
      key = owner.key
      if (last !== null) {
        const inboxes: Inbox[] = await Promise.all(last.inboxIds.map((id) => owner.inboxes.get(id)))
        const stored: (string | null)[] = (await Promise.all(inboxes.map(subjects))).flat()
        assert.equal(new Set(stored).size, stored.length, 'a mail was stored twice')
        const lost: string[] = last.acknowledged.filter((one) => !stored.includes(one))
        assert.deepEqual(lost, [], `cycle ${cycle}: acknowledged and lost`)
        total += last.acknowledged.length
      }
      if (cycle === CYCLES) break
      const inboxes = await Promise.all(
        Array.from({ length: INBOXES }, () => owner.inboxes.create()),
      )
      const first = Promise.withResolvers<void>()
      const addresses = inboxes.map(({ emailAddress }) => emailAddress)
      const sending = Array.from({ length: CLIENTS }, (_, i) => {
        const target = { port: smtpPort, addresses, firstAddress: (i * INBOXES) / CLIENTS }
        return sendUntilKilled(target, `${cycle}-${i}`, first.resolve)
      })
      const killed = new AbortController()
      const reading = Array.from({ length: READERS }, () => readUntilKilled(inboxes, killed.signal))
      // Not before the first is acknowledged: a kill that finds nothing under way tests nothing.
      await first.promise
      await delay(Math.random() * LIFE_MS_MAX)
      server.child.kill('SIGKILL')
      killed.abort()
      const acknowledged = (await Promise.all(sending)).flat()
      await Promise.all(reading)
      last = { inboxIds: inboxes.map(({ id }) => id), acknowledged }
    }
    assert.ok(total >= CYCLES, `only ${total} mails were acknowledged: the test tested nothing`)
  })
})
