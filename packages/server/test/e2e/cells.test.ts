import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { registerAccount } from '@mayfly/client'
import { createTransport } from 'nodemailer'
import { WebSocket } from 'ws'
import { openOperator } from '../../src/assembly/operator.ts'
import { parseConfig } from '../../src/config/config.ts'
import { accountWithKey, type TestAccount } from '../testing-account.ts'
import { createApiClient } from '../testing-api-client.ts'
import { startCells, type TestCells } from '../testing-cells.ts'
import { createMigratedSqlite } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { shared } from '../testing-shared.ts'

type Cell = TestCells['cells'][number]

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

let registrations = 0

/** Registers accounts through the proxy until one is in this cell. */
async function registerIn({ proxy }: TestCells, { name }: Cell): Promise<TestAccount> {
  for (;;) {
    registrations += 1
    const email = `dev${registrations}@example.com`
    const { apiKey } = await registerAccount({ baseUrl: proxy.httpUrl, email })
    if (apiKey.startsWith(`mf_live_${name}_`)) return accountWithKey(proxy.httpUrl, apiKey)
  }
}

/** Sends a mail at the port that the proxy has for a cell. */
async function send(
  { host }: TestCells,
  { smtpPort: port }: Cell,
  { to, auth }: { readonly to: string; readonly auth?: { user: string; pass: string } },
): Promise<void> {
  const transport = createTransport({ host, port, ...(auth === undefined ? {} : { auth }) })
  const text = 'Your code is 481516.'
  await transport.sendMail({ from: 'app@example.com', to, subject: 'Code', text })
}

describe('two cells behind HAProxy', () => {
  const start = shared(async (resources) => {
    const [first, second] = [await createMigratedSqlite(), await createMigratedSqlite()]
    resources.use(first)
    resources.use(second)
    return resources.use(await startCells([first, second]))
  })

  it('serve an account in its own cell: mail, waits, streams, other APIs', async () => {
    const running = await start()
    for (const cell of running.cells) {
      const dev = await registerIn(running, cell)
      const inbox = await dev.inboxes.create()
      assert.equal(inbox.emailAddress.split('@')[1], cell.domain)
      await using events = await openEvents(dev)
      const waiting = inbox.waitForOtp({ timeoutSeconds: 40 })
      await events.next('wait.started')
      await send(running, cell, { to: inbox.emailAddress })
      assert.equal((await waiting).value, '481516')
      const { id, data } = await events.next('message.received')
      assert.ok(id.startsWith(`${cell.name}_`))
      const path = `/v1/inboxes/${inbox.id}/messages/${data.message.id}/frame`
      const { url } = (await dev.post(path, {})).body
      assert.equal((await createApiClient(running.proxy.httpUrl, null).get(url)).status, 200)
      const rotated = await dev.post('/v1/keys/rotate')
      assert.equal((await dev.get('/v1/account')).status, 401)
      assert.equal((await dev.withKey(rotated.body.apiKey).get('/v1/account')).status, 200)
    }
  })

  it('serve the APIs of mail catchers and providers by the key, wherever it is', async () => {
    const running = await start()
    for (const cell of running.cells) {
      const dev = await registerIn(running, cell)
      const project = await dev.inboxes.create({ catchAll: true })
      const auth = { user: project.id, pass: dev.key }
      const headers = basic(project.id, dev.key)
      const socketUrl = running.proxy.httpUrl.replace('http', 'ws').concat('/api/events')
      const socket = new WebSocket(socketUrl, { headers })
      await once(socket, 'open')
      const told = once(socket, 'message')
      await send(running, cell, { to: 'anybody@elsewhere.example', auth })
      assert.match(String((await told)[0]), /"Type":"(?:new|stats)"/)
      socket.terminate()
      const anonymous = createApiClient(running.proxy.httpUrl, null)
      const listed = await anonymous.get('/api/v1/messages', { headers })
      assert.deepEqual([listed.status, listed.body.total], [200, 1])
      const byUser = await anonymous.get('/api/v1/messages', { headers: basic(dev.key, '') })
      assert.equal(byUser.body.total, 1)
      await sendByProviders(running, dev.key, cell)
      assert.equal((await anonymous.get('/api/v1/messages', { headers })).body.total, 6)
    }
  })

  it('refuse an email address the second time, in whatever case', async () => {
    const { proxy } = await start()
    const baseUrl = proxy.httpUrl
    for (let i = 0; i < 8; i++) {
      await registerAccount({ baseUrl, email: `once${i}@example.com` })
      const again = registerAccount({ baseUrl, email: `Once${i}@Example.com` })
      await assert.rejects(again, { status: 409, code: 'email_registered' })
    }
  })

  it('exchange sign-in links where they were made', async () => {
    const running = await start()
    for (const cell of running.cells) {
      const dev = await registerIn(running, cell)
      for (const prefix of ['', 'token=', '#token=']) {
        const { url } = await dev.internal.createSignInLink()
        const token = prefix + url.split('#token=')[1]
        const anonymous = createApiClient(running.proxy.httpUrl, null)
        const { status, body } = await anonymous.post('/v1/sign-in', { token })
        assert.deepEqual([status, body.apiKey?.slice(0, 11)], [201, `mf_live_${cell.name}_`])
      }
    }
  })

  it("refuse another cell's key past the proxy, and one of no cell behind it", async () => {
    const running = await start()
    const [first, second] = running.cells
    const dev = await registerIn(running, second)
    const { status, body } = await createApiClient(first.httpUrl, dev.key).get('/v1/account')
    assert.deepEqual([status, body.error.code, body.cell], [421, 'wrong_cell', 'c2'])
    const unknown = createApiClient(running.proxy.httpUrl, `mf_live_c9_${'x'.repeat(43)}`)
    assert.equal((await unknown.get('/v1/account')).status, 421)
    const anonymous = createApiClient(running.proxy.httpUrl, null)
    assert.equal((await anonymous.get('/openapi.json')).status, 200)
    assert.equal((await anonymous.get('/v1/account')).status, 401)
    assert.equal((await anonymous.get('/metrics')).status, 404)
  })
})

/** A mail by each of five ways to name the key, or the cell. */
async function sendByProviders({ proxy }: TestCells, key: string, { name }: Cell): Promise<void> {
  const anonymous = createApiClient(`${proxy.httpUrl}/providers/`, null)
  const [from, to] = ['app@acme.example', 'a@example.com']
  // More than HAProxy reads of a body.
  const text = 'Hi '.repeat(20_000)
  const message = { from_email: from, to: [{ email: to }], subject: 'Hi', text }
  const sent = [
    await anonymous.post(
      'resend/emails',
      { from, to, subject: 'Hi', text: 'Hi' },
      { headers: { authorization: `Bearer ${key}` } },
    ),
    await anonymous.post(
      'postmark/email',
      { From: from, To: to, Subject: 'Hi', TextBody: 'Hi' },
      { headers: { 'x-postmark-server-token': key } },
    ),
    await anonymous.post(
      'brevo/v3/smtp/email',
      { sender: { email: from }, to: [{ email: to }], subject: 'Hi', textContent: 'Hi' },
      { headers: { 'api-key': key } },
    ),
    await anonymous.post('mandrill/api/1.0/messages/send.json', { key, message }),
    // The key comes after what HAProxy reads.
    await anonymous.post(
      `${proxy.httpUrl}/cell/${name}/providers/mandrill/api/1.0/messages/send.json`,
      { message, key },
    ),
  ]
  for (const { status, text } of sent) assert.ok(status < 300, `${status} ${text}`)
}

describe('an account that is moved while it is used', () => {
  it('keeps its keys, its mail and its waits; nothing is lost or doubled', async () => {
    await using first = await createMigratedSqlite()
    await using second = await createMigratedSqlite()
    await using running = await startCells([first, second])
    await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-cells-'))
    const [from, to] = running.cells
    const dev = await registerIn(running, from)
    const inbox = await dev.inboxes.create()
    const project = await dev.inboxes.create({ catchAll: true })
    const { account } = await dev.account.read()
    const waiting = inbox.waitForOtp({ timeoutSeconds: 50 })
    await using sending = sendUntilClosed(running, from, { user: project.id, pass: dev.key })
    await sending.begun

    const path = join(folder.path, 'dev.move')
    await withOperator(from, (operator) =>
      operator.exportAccount({ account: account.email, to: to.name, path }),
    )
    const { status, headers, body } = await dev.get('/v1/account')
    assert.deepEqual([status, body.error.code], [503, 'account_moving'])
    assert.match(String(headers['retry-after']), /^\d+$/)
    const { stored, refusal } = await sending.closed
    assert.match(refusal, /^4\d\d /)
    const imported = await withOperator(to, (operator) => operator.importAccount(path))
    for (const prefix of imported.keyPrefixes) {
      await running.proxy.command(`add map cells.map ${prefix} ${to.name}`)
    }

    assert.equal((await dev.account.read()).account.id, account.id)
    const { body: listed } = await dev.get('/api/v1/messages?limit=1000', {
      headers: basic(project.id, dev.key),
    })
    const subjects = listed.messages.map((message: { Subject: string }) => message.Subject)
    assert.deepEqual(subjects.sort(), [...stored].sort())
    await send(running, to, { to: inbox.emailAddress })
    assert.equal((await waiting).value, '481516')
    const auth = { user: project.id, pass: dev.key }
    await send(running, to, { to: 'anybody@elsewhere.example', auth })
    const rotated = await dev.post('/v1/keys/rotate')
    assert.match(rotated.body.apiKey, /^mf_live_c2_/)
  })
})

async function withOperator<T>(
  { env }: Cell,
  work: (operator: Awaited<ReturnType<typeof openOperator>>) => Promise<T>,
): Promise<T> {
  await using operator = await openOperator(parseConfig(env))
  return await work(operator)
}

/** Sends mail to a catch-all inbox, each with its own subject, until one is refused. */
function sendUntilClosed(
  { host }: TestCells,
  { smtpPort: port }: Cell,
  auth: { readonly user: string; readonly pass: string },
) {
  const transport = createTransport({ host, port, auth, pool: true })
  const begun = Promise.withResolvers<void>()
  const stop = new AbortController()
  const stored: string[] = []
  const sendAll = async () => {
    while (!stop.signal.aborted) {
      const subject = `mail ${stored.length}`
      const mail = { from: 'app@example.com', to: 'any@elsewhere.example', subject, text: 'Hi' }
      const refusal = await transport.sendMail(mail).then(
        () => null,
        (error: { readonly response?: string }) => error.response ?? String(error),
      )
      if (refusal !== null) return { stored, refusal }
      stored.push(subject)
      if (stored.length === 20) begun.resolve()
    }
    return { stored, refusal: '' }
  }
  const closed = sendAll()
  return {
    begun: begun.promise,
    closed,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await closed
      transport.close()
    },
  }
}

describe('a cell beside one that was killed', () => {
  it('answers every call, and keeps its waits and streams', async () => {
    await using first = await createMigratedSqlite()
    await using second = await createMigratedSqlite()
    await using running = await startCells([first, second])
    const [killed, other] = running.cells
    const lost = await registerIn(running, killed)
    const dev = await registerIn(running, other)
    const inbox = await dev.inboxes.create()
    await using events = await openEvents(dev)
    const waiting = inbox.waitForOtp({ timeoutSeconds: 40 })
    await events.next('wait.started')
    const statuses = new Map<number, number>()
    const stop = new AbortController()
    const asking = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!stop.signal.aborted) {
          const { status } = await dev.get(`/v1/inboxes/${inbox.id}`)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
    )

    killed.node.child.kill('SIGKILL')
    await killed.node.ended
    const answers = []
    // No other cell answers for it.
    for (let i = 0; i < 20; i++) answers.push((await lost.get('/v1/account')).status)
    assert.deepEqual(new Set(answers), new Set([503]))
    await send(running, other, { to: inbox.emailAddress })
    assert.equal((await waiting).value, '481516')
    await events.next('message.received')
    stop.abort()
    await asking
    assert.deepEqual([...statuses.keys()], [200])
    const anonymous = createApiClient(running.proxy.httpUrl, null)
    assert.equal((await anonymous.get('/openapi.json')).status, 200)
  })
})
