import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { registerAccountAt } from '../testing-account.ts'
import { createApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { freePort } from '../testing-free-port.ts'
import { connected } from '../testing-postgres.ts'
import { sendMails } from '../testing-send-mail.ts'
import { STARTED_AGAIN, startServerProcess } from '../testing-server-process.ts'
import { startService } from '../testing-start-service.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'
import { until } from '../testing-until.ts'

/** About 7 s on a machine with nothing else to do; TCP alone would take a quarter of an hour. */
const ACCEPTS_AGAIN_MS_MAX = 60_000

const MINUTE_MS = 60_000

onEachDatabase('nodes on one database', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('store a mail by another connection when one went silent in its transaction', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    await using silent = await startService({ database: { ...database, url: proxy.url } })
    await using other = await startService({ database })
    const dev = await other.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const mail = { to: inbox.emailAddress }
    await silent.sendMail(mail)

    // The statement is sent once for each connection, what it inserts each time.
    const wentSilent = proxy.failAt('Stuck', 'silence', 'before')
    const startedAt = performance.now()
    const [stuck] = await silent.sendMails([{ ...mail, subject: 'Stuck' }])
    await wentSilent
    assert.match(stuck?.mail ?? '', /^250/)
    assert.equal((await silent.anonymous.get('/readyz')).status, 200)
    await other.sendMail(mail)
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < ACCEPTS_AGAIN_MS_MAX, `accepted again after ${Math.round(tookMs)} ms`)
    const { messages } = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body
    assert.equal(messages.length, 3)
  })

  for (const [place, how] of [
    ['before', 'which is stored then'],
    ['after', 'which was stored'],
  ] as const) {
    it(`store a mail once whose COMMIT was cut ${place} it was sent on, ${how}`, async () => {
      await using database = await create()
      await using proxy = await startTcpProxy(database.url)
      await using service = await startService({ database: { ...database, url: proxy.url } })
      const dev = await service.register()
      const inbox = await dev.inboxes.create()
      await service.sendMail({ to: inbox.emailAddress })
      const cut = proxy.failAt(['Committed late', 'commit'], 'cut', place)
      const waiting = inbox.waitForMessage({ subject: /late/, timeoutSeconds: 20 })
      await service.sendMail({ to: inbox.emailAddress, subject: 'Committed late' })
      await cut
      await waiting
      const { messages } = await inbox.listMessages()
      assert.deepEqual(
        messages.map(({ subject }) => subject),
        ['Committed late', null],
      )
    })
  }

  it('say whether a change may have been made when the database does not respond', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    await using service = await startService({ database: { ...database, url: proxy.url } })
    const dev = await service.register()
    let tries = 0
    /** The first inbox of which the creation fails: the proxy may cut another connection. */
    const createdBadly = async (text: string) =>
      until(async () => {
        tries += 1
        const localPart = `try-${tries}`
        const cut = proxy.failAt(text, 'cut', 'after')
        const { status, body } = await dev.post('/v1/inboxes', { localPart })
        await cut
        return status === 201 ? null : { localPart, status, ...body.error }
      })
    const isThere = async ({ localPart }: { readonly localPart: string }) =>
      (await dev.inboxes.list()).inboxes.some(({ emailAddress }) =>
        emailAddress.startsWith(`${localPart}@`),
      )

    const uncertain = await createdBadly('commit')
    assert.deepEqual([uncertain.status, uncertain.code], [503, 'storage_unavailable'])
    assert.match(uncertain.message, /may have been made. Read before you try again\.$/)
    await until(async () => ((await isThere(uncertain)) ? true : null))

    const certain = await createdBadly('insert into "inbox"')
    assert.deepEqual([certain.status, certain.code], [503, 'storage_unavailable'])
    assert.match(certain.message, /Nothing was changed; try again in a moment\.$/)
    assert.equal(await isThere(certain), false)
  })

  it('say that a mail is stored when the refusal of its other recipient is lost', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    await using server = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: proxy.url })
    const { httpUrl, smtpPort } = await server.ready
    const dev = await registerAccountAt(httpUrl)
    const [inbox, full] = [await dev.inboxes.create(), await dev.inboxes.create()]
    await connected(database.url, (client) =>
      client.query('update inbox set size_bytes = 250 * 1024 * 1024 - 10 where id = $1', [full.id]),
    )
    const cut = proxy.failAt('insert into "diagnostic_event"', 'cut', 'before')
    const to = [inbox.emailAddress, full.emailAddress]
    const [answer] = await sendMails(smtpPort, [{ to }])
    await cut
    assert.match(answer?.mail ?? '', /^250/)
    assert.equal((await inbox.listMessages()).messages.length, 1)
    const lost = 'a refused mail could not be recorded in the diagnostics'
    await until(async () => server.output().includes(lost) || null)
  })

  it('store mail for other inboxes while one is locked by somebody else', async () => {
    await using database = await create()
    await using service = await startService({ database })
    const dev = await service.register()
    const inboxes = await Promise.all(
      ['locked', 'free', 'other'].map((localPart) => dev.post('/v1/inboxes', { localPart })),
    )
    const [locked, ...free] = inboxes.map(({ body }) => ({ to: body.inbox.emailAddress }))
    assert.ok(locked)
    const somebody = new pg.Client({ connectionString: database.url })
    await somebody.connect()
    await somebody.query('begin')
    await somebody.query(`select from inbox where address = $1 for update`, [locked.to])

    let isLockedAnswered = false
    const held = service.sendMails([locked]).then((answers) => {
      isLockedAnswered = true
      return answers
    })
    for (let round = 0; round < 3; round++) {
      await Promise.all(free.map((mail) => service.sendMail(mail)))
    }
    assert.equal(isLockedAnswered, false, 'the other inboxes have waited for the locked one')
    // Which is not waited for without end either.
    assert.match((await held)[0]?.mail ?? '', /^451/)
    const later = service.sendMail(locked)
    await somebody.query('rollback')
    await later
    await somebody.end()
  })

  it('start when the database is available again', async () => {
    await using database = await create()
    const url = new URL(database.url)
    url.port = String(await freePort())
    await using node = startServerProcess({ ...STARTED_AGAIN, MAYFLY_DATABASE_URL: url.href })
    await until(async () => node.output().includes('PostgreSQL is not available') || null)
    await using _proxy = await startTcpProxy(database.url, Number(url.port))
    await node.ready
    assert.ok(!node.output().includes('    at '), 'no stack is logged')
  })

  it('go by the clock of the database, whatever the time of their machines', async () => {
    await using database = await create()
    await using ahead = startSkewedNode(database.url, 10 * MINUTE_MS)
    await using behind = startSkewedNode(database.url, -10 * MINUTE_MS)
    const [aheadReady, behindReady] = await Promise.all([ahead.ready, behind.ready])
    const anonymous = createApiClient(behindReady.httpUrl, null)
    const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'dev@example.com' })).body
    const onBehind = anonymous.withKey(apiKey)
    const onAhead = createApiClient(aheadReady.httpUrl, apiKey)

    const since = Date.now()
    const { inbox } = (await onBehind.post('/v1/inboxes', { ttlSeconds: 600 })).body
    assert.ok(Math.abs(Date.parse(inbox.createdAt) - since) < MINUTE_MS / 2, inbox.createdAt)
    const [taken] = await sendMails(aheadReady.smtpPort, [{ to: inbox.emailAddress }])
    assert.match(taken?.mail ?? '', /^250/, 'refused where the inbox seems to have expired')
    await sendMails(behindReady.smtpPort, [{ to: inbox.emailAddress, subject: 'from behind' }])
    const query = `since=${new Date(since).toISOString()}&timeoutSeconds=0`
    const waited = await onAhead.get(`/v1/inboxes/${inbox.id}/wait?${query}`)
    assert.equal(waited.body.message?.subject, 'from behind')
  })
})

/** A node whose machine's clock is wrong, in all its threads. */
function startSkewedNode(url: string, skewMs: number) {
  const preload = `const { now } = Date
    Date.now = () => now() + ${skewMs}`
  return startServerProcess(
    { MAYFLY_DATABASE_URL: url, MAYFLY_DEFAULT_PLAN: 'unlimited' },
    [],
    [`--import=data:text/javascript,${encodeURIComponent(preload)}`],
  )
}
