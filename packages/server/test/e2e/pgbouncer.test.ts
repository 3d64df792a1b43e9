import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { limitSessions, startPgBouncer } from '../testing-pgbouncer.ts'
import { startService } from '../testing-start-service.ts'

onEachDatabase('nodes behind PgBouncer', (create, name) => {
  if (name !== 'PostgreSQL') return

  it('receive and wait', { timeout: 120_000 }, async () => {
    await using database = await create()
    await using pooler = await startPgBouncer(database.url)
    const env = { MAYFLY_DATABASE_DIRECT_URL: database.url }
    const start = () => startService({ database: { ...database, url: pooler.url }, env })

    await assert.rejects(
      start(),
      /lack .*statement_timeout.*: alter role "?mayfly"? .*set statement/,
    )
    await limitSessions(database.url)
    await using one = await start()
    await using other = await start()
    const dev = await one.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const waiting = dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=30`)
    const mails = Array.from({ length: 5 }, (_, i) => ({
      to: inbox.emailAddress,
      subject: `${i}`,
    }))
    const answers = await Promise.all([one, other].map((node) => node.sendMails(mails)))
    assert.ok(answers.flat().every(({ mail }) => mail?.startsWith('250')))
    assert.equal((await waiting).status, 200)
    const { messages } = (await dev.get(`/v1/inboxes/${inbox.id}/messages?limit=100`)).body
    assert.equal(messages.length, 10)
    assert.equal((await other.anonymous.get('/readyz')).status, 200)
  })

  it('are told which setting is missing when there is no direct URL', async () => {
    await using database = await create()
    await using pooler = await startPgBouncer(database.url)
    const started = startService({ database: { ...database, url: pooler.url } })
    await assert.rejects(started, /MAYFLY_DATABASE_DIRECT_URL/)
  })
})
