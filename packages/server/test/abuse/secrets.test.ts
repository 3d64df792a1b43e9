import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { registerAccountAt } from '../testing-account.ts'
import { createApiClient } from '../testing-api-client.ts'
import { createSqlite } from '../testing-databases.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'
import { openSocket } from './testing-raw-socket.ts'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

describe('keys and tokens', { timeout: 120_000 }, () => {
  it('are in no log, metric, error, page or argument, and in no file for others', async () => {
    await using database = await createSqlite()
    await using server = startServerProcess({
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_LOG_LEVEL: 'debug',
      MAYFLY_METRICS: 'true',
      MAYFLY_SECRET_KEY: SECRET_KEY,
    })
    const { httpUrl, smtpPort } = await server.ready
    const dev = await registerAccountAt(httpUrl)
    const anonymous = createApiClient(httpUrl, null)
    const { inbox } = (await dev.post('/v1/inboxes', { catchAll: true })).body
    const link = (await dev.post('/v1/sign-in-links')).body.url
    const token = new URL(link).hash.slice(1)
    assert.equal(new URL(link).search, '')
    const webhook = (await dev.post('/v1/webhooks', { url: 'https://hooks.example.com/x' })).body
    const secrets: string[] = [dev.key, token, SECRET_KEY, webhook.secret]

    // By SMTP, whose dialogue is kept, with the right password and with a wrong one.
    const plain = (password: string) => Buffer.from(`\0${inbox.id}\0${password}`).toString('base64')
    secrets.push(plain(dev.key))
    using client = await openSocket(smtpPort)
    client.send(
      `EHLO a\r\nAUTH PLAIN ${plain(`${dev.key}x`)}\r\nAUTH PLAIN ${plain(dev.key)}\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<x@y.example>\r\nDATA\r\n`,
    )
    await client.received(/^354 /m)
    client.send('Subject: hi\r\n\r\nhi\r\n.\r\nQUIT\r\n')
    await client.ended()
    const { messages } = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body
    const path = `/v1/inboxes/${inbox.id}/messages/${messages[0].id}`
    const frame = (await dev.post(`${path}/frame`)).body.url
    secrets.push(frame.split('/').at(-1))

    const texts = [
      await dev.get(path),
      await dev.get(`/v1/inboxes/${inbox.id}/diagnostics`),
      await dev.get('/v1/keys'),
      await dev.get('/v1/webhooks'),
      await dev.get(`/v1/inboxes?apiKey=${dev.key}`),
      await dev.get(`/v1/inboxes/${dev.key}`),
      await dev.get(`/${dev.key}`),
      await dev.withKey(`${dev.key}x`).get('/v1/account'),
      await anonymous.get(`/v1/account/connection/callback?code=${token}&state=${token}`),
      await anonymous.post('/v1/sign-in', { token: `${token}x` }),
      await anonymous.get('/metrics'),
    ].map(({ text }) => text)
    assert.equal((await anonymous.get(frame)).headers['referrer-policy'], 'no-referrer')
    const page = await anonymous.get('/', { headers: { accept: 'text/html' } })
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    // The last of these requests was logged.
    await until(async () => (/"url":"\/","status/.test(server.output()) ? true : null))
    // The start on loopback prints a sign-in link of its own, on purpose.
    const log = server.output().replace(/"signInLink":"[^"]+"/, '')
    const processArguments = await readFile(`/proc/${server.child.pid}/cmdline`, 'utf8')
    for (const secret of secrets) {
      assert.ok(secret.length > 20)
      for (const text of [...texts, page.text, log, processArguments]) {
        const at = text.indexOf(secret)
        assert.equal(at, -1, text.slice(Math.max(0, at - 200), at + 20))
      }
    }

    const folder = dirname(database.url.slice('sqlite:'.length))
    for (const name of await readdir(folder)) {
      const { mode } = await stat(join(folder, name))
      assert.equal(mode & 0o077, 0, `${name}: ${mode.toString(8)}`)
    }
  })
})
