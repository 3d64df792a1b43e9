import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { startService } from '../testing-start-service.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'

/** Longest time until a node accepts mail again after one of its connections went silent. */
const ACCEPTS_AGAIN_MS_MAX = 10_000

onEachDatabase('nodes on one database', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('accept mail again after a connection went silent in a transaction', async () => {
    await using database = await create()
    await using proxy = await startTcpProxy(database.url)
    await using silent = await startService({ database: { ...database, url: proxy.url } })
    await using other = await startService({ database })
    const dev = await other.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const mail = { to: inbox.emailAddress }
    await silent.sendMail(mail)

    const wentSilent = proxy.failAt('insert into "mail"', 'silence', 'before')
    const startedAt = performance.now()
    const [stuck] = await silent.sendMails([mail])
    await wentSilent
    assert.match(stuck?.mail ?? '', /^451/)
    const { checks } = (await silent.anonymous.get('/readyz')).body
    assert.deepEqual(checks, { receiving: 'the storage is unavailable' })
    await silent.sendMail(mail)
    assert.equal((await silent.anonymous.get('/readyz')).status, 200)
    await other.sendMail(mail)
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < ACCEPTS_AGAIN_MS_MAX, `accepted again after ${Math.round(tookMs)} ms`)
    const { messages } = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body
    assert.equal(messages.length, 3)
  })
})
