// A standby of PostgreSQL takes over under load.

import { setTimeout as delay } from 'node:timers/promises'
import { createApiClient } from '../testing-api-client.ts'
import { connected } from '../testing-postgres.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'
import { until } from '../testing-until.ts'
import { startServers } from './servers.ts'

/** What came of a failover. */
export type FailoverResult = {
  readonly acknowledged: number
  /** Acknowledged, and not there after the standby took over. */
  readonly lost: number
  /** From the crash of the primary until the next acknowledgement, promotion included. */
  readonly outageMs: number
}

const SENDERS = 8
const BEFORE_MS = 5_000
const AFTER_MS = 5_000

/** Crashes the primary under load, promotes its standby, and counts what was lost. */
export async function runFailover(isSynchronous: boolean): Promise<FailoverResult> {
  await using servers = await startServers(isSynchronous)
  await using proxy = await startTcpProxy(servers.url)
  await using node = startServerProcess({
    MAYFLY_DATABASE_URL: proxy.url,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  const { httpUrl, smtpPort } = await node.ready
  const anonymous = createApiClient(httpUrl, null)
  const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'dev@example.com' })).body
  const api = anonymous.withKey(apiKey)
  const inboxes = await Promise.all(
    Array.from({ length: SENDERS }, async () => (await api.post('/v1/inboxes')).body.inbox),
  )
  const acknowledged: { readonly subject: string; readonly at: number }[] = []
  let isStopped = false
  const senders = inboxes.map(async (inbox, sender) => {
    for (let i = 0; !isStopped; i++) {
      const subject = `${sender}-${i}`
      const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject }])
      if (answer?.mail?.startsWith('250')) acknowledged.push({ subject, at: performance.now() })
    }
  })
  await delay(BEFORE_MS)
  const crashedAt = performance.now()
  await servers.failOver()
  proxy.retarget(servers.url)
  await until(async () => acknowledged.find(({ at }) => at > crashedAt + 100) ?? null)
  await delay(AFTER_MS)
  isStopped = true
  await Promise.all(senders)

  const stored = await subjectsAt(servers.url)
  const next = acknowledged.find(({ at }) => at > crashedAt + 100)
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ subject }) => !stored.has(subject)).length,
    outageMs: Math.round((next?.at ?? Number.POSITIVE_INFINITY) - crashedAt),
  }
}

async function subjectsAt(url: string): Promise<ReadonlySet<string>> {
  const { rows } = await connected(url, (client) =>
    client.query<{ readonly subject: string }>('select subject from message'),
  )
  return new Set(rows.map(({ subject }) => subject))
}
