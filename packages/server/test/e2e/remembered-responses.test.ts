import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { openOperator } from '../../src/assembly/operator.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openStore } from '../../src/store/open.ts'
import { registerAccountAt, type TestAccount } from '../testing-account.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { shared } from '../testing-shared.ts'
import { until } from '../testing-until.ts'

const PATCH = { headers: { 'content-type': 'application/json' } }

type Listed = { readonly id: string; readonly subject: string; readonly read: boolean }

/** A service with its threads, in a process of its own; what else writes is in this process. */
function openPlace(create: () => Promise<TestDatabase>) {
  return shared(async (resources) => {
    const database = resources.use(await create())
    const { ready } = resources.use(
      startServerProcess({
        MAYFLY_DATABASE_URL: database.url,
        MAYFLY_DEFAULT_PLAN: 'unlimited',
        MAYFLY_DNS_SERVERS: '127.0.0.1:9',
      }),
    )
    const { httpUrl, smtpPort } = await ready
    const operator = resources.use(
      await openOperator(parseConfig({ MAYFLY_DATABASE_URL: database.url })),
    )
    return { database, httpUrl, smtpPort, operator }
  })
}

/** The subjects of an inbox by its list, and whether each is read. */
async function subjects(dev: TestAccount, path: string): Promise<string[]> {
  const { messages } = (await dev.get(`${path}/messages`)).body
  return messages.map(({ subject, read }: Listed) => (read ? `${subject}, read` : subject))
}

const about = async (dev: TestAccount) => (await dev.get('/v1/account')).body

onEachDatabase('the very next response', (create) => {
  const place = openPlace(create)
  let accounts = 0
  const register = async () => {
    const { httpUrl } = await place()
    accounts += 1
    return registerAccountAt(httpUrl, `next${accounts}@example.com`)
  }
  const givenInbox = async (dev: TestAccount) => {
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const path = `/v1/inboxes/${inbox.id}`
    const send = async (subject: string) => {
      const { smtpPort } = await place()
      const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject }])
      assert.match(answer?.mail ?? '', /^250/)
    }
    return { id: inbox.id, path, send }
  }

  it('lists each mail that was acknowledged before it', async () => {
    const dev = await register()
    const { path, send } = await givenInbox(dev)
    for (let count = 0; count < 20; count++) {
      // Twice: the second one may be remembered.
      for (let i = 0; i < 2; i++) assert.equal((await subjects(dev, path)).length, count)
      await send(`number ${count}`)
    }
  })

  it('lists each mail that was acknowledged before it, while others are stored later', async () => {
    const dev = await register()
    const { path, send } = await givenInbox(dev)
    const other = (await dev.post('/v1/inboxes')).body.inbox
    const { smtpPort } = await place()
    const burst = Array.from({ length: 500 }, () => ({ to: other.emailAddress, subject: 'other' }))
    let isSending = true
    const sending = Promise.all([sendMails(smtpPort, burst), sendMails(smtpPort, burst)])
    const ended = sending.then(() => {
      isSending = false
    })
    for (let count = 0; isSending && count < 100; count++) {
      assert.equal((await dev.get(`${path}/messages?limit=100`)).body.messages.length, count)
      await send(`number ${count}`)
    }
    await ended
  })

  it('shows what was marked, deleted, or purged', async () => {
    const dev = await register()
    const { path, send } = await givenInbox(dev)
    await send('one')
    await send('two')
    const [two, one] = (await dev.get(`${path}/messages`)).body.messages
    const message = `${path}/messages/${one.id}`
    // Once its sender is checked, it may be remembered.
    await until(async () => (await dev.get(message)).body.auth)
    for (const read of [true, false, true]) {
      await dev.send('PATCH', message, { rawBody: JSON.stringify({ read }), ...PATCH })
      assert.deepEqual(await subjects(dev, path), ['two', read ? 'one, read' : 'one'])
      for (let i = 0; i < 2; i++) assert.equal((await dev.get(message)).body.read, read)
    }
    assert.equal((await dev.send('DELETE', message)).status, 204)
    assert.equal((await dev.get(message)).status, 404)
    assert.deepEqual(await subjects(dev, path), ['two'])
    await dev.send('DELETE', `${path}/messages/${two.id}`)
    for (let i = 0; i < 2; i++) assert.deepEqual(await subjects(dev, path), [])
    await dev.send('DELETE', path)
    assert.equal((await dev.get(`${path}/messages`)).status, 404)
  })

  it('shows what another process has deleted', async () => {
    const dev = await register()
    const { id, path, send } = await givenInbox(dev)
    const { database } = await place()
    const store = await openStore({ url: database.url, exclusive: false })
    after(() => store.close())
    await send('one')
    for (let i = 0; i < 3; i++) assert.deepEqual(await subjects(dev, path), ['one'])
    await store.deleteMessages((await about(dev)).account.id, id, 'all')
    assert.deepEqual(await subjects(dev, path), [])
  })

  it('belongs to the account, the URL and the method', async () => {
    const [dev, other] = [await register(), await register()]
    const { path, send } = await givenInbox(dev)
    await send('one')
    const list = `${path}/messages`
    for (let i = 0; i < 2; i++) {
      assert.equal((await dev.get(list)).status, 200)
      assert.equal((await other.get(list)).status, 404)
      assert.equal((await dev.get(`${list}?after=1`)).body.messages.length, 0)
      assert.equal((await dev.get(`${list}?limit=0`)).status, 400)
      assert.equal((await dev.get(`${list}?cursor=`)).status, 400)
      assert.equal((await dev.get(`${list}?q=subject:none`)).body.messages.length, 0)
      const head = await dev.send('HEAD', list)
      assert.deepEqual([head.status, head.text], [200, ''])
    }
  })

  it('has the headers of every response, and is counted', async () => {
    const dev = await register()
    const { path, send } = await givenInbox(dev)
    await send('one')
    const before = (await about(dev)).usage.requests
    const responses = []
    for (let i = 0; i < 3; i++) responses.push(await dev.get(`${path}/messages`))
    const ids = responses.map(({ headers }) => headers['x-request-id'])
    assert.equal(new Set(ids).size, 3)
    for (const { headers } of responses) {
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
    assert.equal((await about(dev)).usage.requests, before + 4)
  })

  it('refuses a key that was revoked or rotated', async () => {
    const dev = await register()
    const { path } = await givenInbox(dev)
    const { apiKey, key } = await dev.keys.create({ name: 'CI' })
    const member = dev.withKey(apiKey)
    for (let i = 0; i < 3; i++) assert.deepEqual(await subjects(member, path), [])
    const rotated = dev.withKey((await member.keys.rotate()).apiKey)
    assert.equal((await member.get(`${path}/messages`)).status, 401)
    for (let i = 0; i < 3; i++) assert.deepEqual(await subjects(rotated, path), [])
    await dev.keys.revoke(key.id)
    assert.equal((await rotated.get(`${path}/messages`)).status, 401)
  })

  it('refuses an account that another process has suspended, until it is resumed', async () => {
    const dev = await register()
    const { path } = await givenInbox(dev)
    const { operator } = await place()
    const { email } = (await about(dev)).account
    for (let i = 0; i < 3; i++) assert.deepEqual(await subjects(dev, path), [])
    await operator.suspend(email, 'abuse')
    assert.equal((await dev.get(`${path}/messages`)).status, 401)
    await operator.resume(email)
    for (let i = 0; i < 2; i++) assert.deepEqual(await subjects(dev, path), [])
  })
})
