import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { send } from '../compat/testing-catch-all.ts'
import { createApiClient } from '../testing-api-client.ts'
import { createSqlite, onEachDatabase } from '../testing-databases.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { shared } from '../testing-shared.ts'
import { startService } from '../testing-start-service.ts'

// What a container is started with: the listeners on all addresses, and settings alone.

const ON_ALL_ADDRESSES = { MAYFLY_HTTP_HOST: '0.0.0.0', MAYFLY_SMTP_HOST: '0.0.0.0' }
const OPEN = { ...ON_ALL_ADDRESSES, MAYFLY_CATCH_ALL: 'open' }
const KEY = 'mf_live_0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d'
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

onEachDatabase('a service with MAYFLY_CATCH_ALL=open', (create) => {
  const start = shared(async (resources) => {
    const database = resources.use(await create())
    return resources.use(await startService({ database, env: OPEN, hasLocalAccount: true }))
  })

  it('takes mail for any address, and shows it without a key', async () => {
    const service = await start()
    await send(service, { to: 'ada@elsewhere.example', subject: 'Your code', text: '482913' })
    const { status, body } = await service.anonymous.get('/api/v1/messages')
    assert.equal(status, 200)
    assert.equal(body.messages[0].Subject, 'Your code')
    assert.equal((await service.anonymous.get('/api/v2/messages')).body.total, 1)
    assert.equal((await service.anonymous.get('/email')).body.length, 1)
  })

  it('opens the dashboard without a key, for reading and not for administration', async () => {
    const service = await start()
    const { catchAllInboxId } = (await service.anonymous.get('/v1/service')).body
    const { status, body } = await service.anonymous.post('/v1/sign-in/catch-all')
    assert.equal(status, 201)
    const page = service.anonymous.withKey(body.apiKey)
    assert.equal((await page.get(`/v1/inboxes/${catchAllInboxId}/messages`)).status, 200)
    const refused = await page.post('/v1/keys', { name: 'mine', role: 'admin' })
    assert.equal(refused.body.error.code, 'admin_required')
  })

  it('is reached without a key by private names and addresses alone', async () => {
    const service = await start()
    const named = async (host: string, authorization?: string) => {
      const headers = { host, ...(authorization === undefined ? {} : { authorization }) }
      return (await service.anonymous.get('/api/v1/messages', { headers })).status
    }
    const privateNames = ['mailpit', 'mailpit:8025', 'mail.internal', 'mail.local', 'mail.test']
    for (const host of [...privateNames, 'host.docker.internal', '172.17.0.2:8025', '[fd00::1]']) {
      assert.equal(await named(host), 200, host)
    }
    for (const host of [
      'mail.example.com',
      'mail.internal.example',
      'mail.local.',
      'localtest.me',
    ]) {
      assert.equal(await named(host), 403, host)
    }
    const { body } = await service.anonymous.post('/v1/sign-in/catch-all')
    assert.equal(await named('mail.example.com', basic('', body.apiKey)), 200)
    const headers = { host: 'mail.example.com' }
    const signIn = await service.anonymous.post('/v1/sign-in/catch-all', undefined, { headers })
    assert.equal(signIn.body.error.code, 'origin_refused')
    const foreign = { origin: 'http://localhost:3000' }
    const page = await service.anonymous.post('/v1/sign-in/catch-all', undefined, {
      headers: foreign,
    })
    assert.equal(page.body.error.code, 'origin_refused')
  })
})

describe('MAYFLY_ALLOWED_HOSTS', () => {
  it('names further hosts of a service that shows mail without a key', async () => {
    const env = { ...OPEN, MAYFLY_ALLOWED_HOSTS: 'mail.example.com, *.apps.example' }
    await using service = await startService({ env, hasLocalAccount: true })
    const status = async (host: string) =>
      (await service.anonymous.get('/api/v1/messages', { headers: { host } })).status
    for (const host of ['MAIL.example.com', 'mayfly.apps.example:80', 'a.b.apps.example']) {
      assert.equal(await status(host), 200, host)
    }
    for (const host of ['apps.example', 'www.mail.example.com', 'evilapps.example']) {
      assert.equal(await status(host), 403, host)
    }
  })
})

onEachDatabase('MAYFLY_INITIAL_API_KEY and MAYFLY_INITIAL_INBOX', (create) => {
  const env = { ...ON_ALL_ADDRESSES, MAYFLY_INITIAL_API_KEY: KEY, MAYFLY_INITIAL_INBOX: 'app' }

  it('make an account without limits and an inbox whose name credentials use', async () => {
    await using database = await create()
    for (const start of ['first', 'second']) {
      await using service = await startService({ database, env, hasLocalAccount: true })
      const { account, limits } = await service.account(KEY).account.read()
      assert.deepEqual([account.plan, limits.requestsPerMinute], ['unlimited', null])
      const mailer = createTransport(`smtp://app:${KEY}@127.0.0.1:${service.smtpPort}`)
      const mail = { from: 'shop@example.com', to: 'ada@elsewhere.example', subject: start }
      await mailer.sendMail({ ...mail, text: 'Hello' })
      const { inboxes } = (await service.account(KEY).get('/v1/inboxes')).body
      assert.deepEqual(
        inboxes.map((inbox: { emailAddress: string }) => inbox.emailAddress),
        ['app@mayfly.test'],
      )
      const headers = { authorization: basic('app', KEY) }
      const { body } = await service.anonymous.get('/api/v1/messages', { headers })
      assert.equal(body.messages[0].Subject, start)
      assert.equal(body.total, start === 'first' ? 1 : 2)
      assert.equal((await service.anonymous.get('/api/v1/messages')).status, 401)
    }
  })

  it('are refused where the key is another one than that of the first start', async () => {
    await using database = await create()
    const start = (key: string) =>
      startService({
        database,
        env: { ...env, MAYFLY_INITIAL_API_KEY: key },
        hasLocalAccount: true,
      })
    {
      await using service = await start(KEY)
      const { status, body } = await service.account(KEY).post('/v1/keys/rotate')
      assert.equal(status, 200)
      assert.notEqual(body.apiKey, KEY)
    }
    await assert.rejects(start(KEY), /MAYFLY_INITIAL_API_KEY cannot be used: .+ rotated or revoked/)
    await assert.rejects(start(KEY.replace('0a', '9f')), /MAYFLY_INITIAL_API_KEY cannot be used/)
  })

  it('are refused where others have accounts', async () => {
    await using database = await create()
    {
      await using service = await startService({ database, env: ON_ALL_ADDRESSES })
      await service.register()
    }
    const started = startService({ database, env, hasLocalAccount: true })
    await assert.rejects(started, /MAYFLY_INITIAL_API_KEY cannot be used: the database already has/)
  })
})

describe('the start on all addresses', () => {
  it('says how to begin, in three lines, until somebody has an account', async () => {
    await using database = await createSqlite()
    const env = { ...ON_ALL_ADDRESSES, MAYFLY_DATABASE_URL: database.url }
    const adviceOf = async () => {
      await using server = startServerProcess(env)
      const { httpUrl } = await server.ready
      const url = httpUrl.replace('0.0.0.0', '127.0.0.1')
      const api = createApiClient(url, null)
      assert.equal(
        (await api.post('/v1/accounts', { email: `${Math.random()}@a.example` })).status,
        201,
      )
      server.child.kill('SIGTERM')
      await server.ended
      return ['No account exists', 'MAYFLY_CATCH_ALL=open', 'MAYFLY_INITIAL_API_KEY='].filter(
        (text) => server.output().includes(text),
      ).length
    }
    assert.deepEqual([await adviceOf(), await adviceOf()], [3, 0])
  })

  it('warns when everybody may read and send', async () => {
    await using database = await createSqlite()
    await using server = startServerProcess({ ...OPEN, MAYFLY_DATABASE_URL: database.url })
    await server.ready
    server.child.kill('SIGTERM')
    await server.ended
    assert.match(
      server.output(),
      /"level":"warn".+anybody who reaches these ports can read and send: private networks only/,
    )
  })

  it('refuses an initial key that could be guessed, and does not print it', async () => {
    for (const key of [
      'mf_live_short',
      `mf_live_${'ab'.repeat(20)}`,
      `mf_test_${'x1y2z3w4'.repeat(5)}`,
    ]) {
      await using server = startServerProcess({ MAYFLY_INITIAL_API_KEY: key })
      assert.equal(await server.ended, 1)
      assert.match(server.output(), /MAYFLY_INITIAL_API_KEY must be mf_live_ and 32 to 92 random/)
      assert.equal(server.output().includes(key), false)
    }
  })
})
