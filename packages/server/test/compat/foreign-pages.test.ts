import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { launchBrowser } from '../testing-browser.ts'
import { createSqlite } from '../testing-databases.ts'
import type { TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** What a page of another program of this machine sends, or one of the internet. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'http://localhost:3000' },
  { origin: 'http://127.0.0.1' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
]

/** What each of the APIs answers to, with data or with an effect; `:id` is a message. */
const CALLS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/messages'],
  ['GET', '/api/v1/message/latest'],
  ['GET', '/api/v1/message/:id'],
  ['GET', '/api/v1/message/latest/link-check'],
  ['GET', '/api/v1/message/latest/part/2'],
  ['GET', '/view/latest.html'],
  ['GET', '//view/latest.html'],
  ['GET', '/api/v2/messages'],
  ['GET', '/mailhog/api/v1/messages'],
  ['GET', '/email'],
  ['GET', '/api/email/latest'],
  ['GET', '/email/latest/attachment/a.png'],
  ['POST', '/api/v2/jim'],
  ['POST', '/api/v1/send'],
  ['POST', '/email/delete'],
  ['POST', '/api/email/latest/relay'],
  ['DELETE', '/api/v1/messages'],
  ['POST', '/v1/accounts'],
  ['POST', '/v1/sign-in'],
  ['POST', '/mcp'],
]

/** Other spellings of a path: each is refused or unknown, and none has an effect. */
const SPELLINGS: readonly string[] = [
  '/api/v1/%6dessage/latest/link-check',
  '/api%2fv1/message/latest/link-check',
  '//api/v1/message/latest/link-check',
  '/api//v1/message/latest/link-check',
  '/./api/v1/message/latest/link-check',
  '/api/v1/../v1/message/latest/link-check',
  '/api/v1/message/latest/link-check/',
  '/api/v1/message/latest/link-check.',
  '/API/v1/message/latest/link-check',
  '/api/v1/message/latest/link-check;x',
]

/** A service that takes all mail, with a mail that has a link and an image. */
async function startWithMail() {
  const resources = new AsyncDisposableStack()
  const database = resources.use(await createSqlite())
  const service = resources.use(await startCatchAll({ database }))
  const application = resources.use(await startSite())
  await send(service, {
    to: 'ada@elsewhere.example',
    subject: 'Your code',
    html: `<p>481516</p><a href="${application.url}/confirm">Confirm</a><img src="cid:logo">`,
    attachments: [{ filename: 'a.png', content: PIXEL, cid: 'logo' }],
  })
  const { host } = new URL(service.httpUrl)
  const ask = (method: string, target: string, headers: Readonly<Record<string, string>>) =>
    askStatus(service, `${method} ${target}`, { host, ...headers })
  const confirmed = () => application.requests()
  return { service, host, ask, confirmed, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** A site that answers every request with an empty page. */
async function startSite() {
  let count = 0
  const server = createServer((_request, response) => {
    count += 1
    response.setHeader('content-type', 'text/html').end('<title>site</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => count,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What a page of another origin tries: what it may open, load and send. */
function foreignScript(url: string): string {
  return `(async () => {
    const events = new WebSocket('${url.replace('http', 'ws')}/api/events')
    const opened = await new Promise((resolve) => {
      events.onopen = () => resolve('opened')
      events.onerror = () => resolve('refused')
    })
    const image = new Image()
    const loaded = await new Promise((resolve) => {
      image.onload = () => resolve('shown')
      image.onerror = () => resolve('refused')
      image.src = '${url}/api/v1/message/latest/part/2'
    })
    await fetch('${url}/api/v1/message/latest/link-check', { mode: 'no-cors' })
    await fetch('${url}/api/v2/jim', { mode: 'no-cors', method: 'POST', body: '{}' })
    return [opened, loaded]
  })()`
}

/** The status of the response to a request line, which is sent as it is. */
async function askStatus(
  { httpUrl }: Pick<TestService, 'httpUrl'>,
  line: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { hostname, port } = new URL(httpUrl)
  const socket = connect(Number(port), hostname)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${line} HTTP/1.1\r\n${fields.join('')}Content-Length: 0\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(String(answer))?.[1])
}

describe('a service that takes all mail', () => {
  it('answers nothing that a page of another program or site sends', async () => {
    await using started = await startWithMail()
    const { service, ask } = started
    const [{ ID }] = (await service.anonymous.get('/api/v1/messages')).body.messages
    for (const [method, pattern] of CALLS) {
      const path = pattern.replace(':id', ID)
      for (const headers of FOREIGN) {
        const status = await ask(method, path, headers)
        assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
      }
    }
    const { messages, unread } = (await service.anonymous.get('/api/v1/messages')).body
    assert.deepEqual([messages.length, unread], [1, 1])
  })

  it('is not got round by another spelling of the request', async () => {
    await using started = await startWithMail()
    const { service, host, ask, confirmed } = started
    const targets = [
      ...SPELLINGS,
      `http://${host}/api/v1/message/latest/link-check`,
      'http://evil.example/api/v1/message/latest/link-check',
      `HTTP://${host}/api/v1/%6dessage/latest`,
    ]
    for (const target of targets) {
      for (const headers of FOREIGN) {
        const status = await ask('GET', target, headers)
        assert.ok([400, 403, 404].includes(status), `${target}: ${status}`)
      }
    }
    for (const method of ['get', 'Post', 'TRACE', 'OPTIONS', 'PROPFIND']) {
      const status = await ask(method, '/api/v1/messages', { origin: 'http://localhost:3000' })
      assert.ok(status >= 400, `${method}: ${status}`)
    }
    assert.equal(confirmed(), 0)
    assert.equal((await service.anonymous.get('/api/v1/messages')).body.unread, 1)
  })

  it('opens no WebSocket for them', async () => {
    await using started = await startWithMail()
    const { host, ask } = started
    const upgrade = {
      ...{ connection: 'upgrade', upgrade: 'websocket' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
    }
    const own = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    assert.equal(await ask('GET', '/api/events', { ...upgrade, ...own }), 101)
    assert.equal(await ask('GET', '/api/events', upgrade), 101)
    for (const headers of FOREIGN) {
      const status = await ask('GET', '/api/events', { ...upgrade, ...headers })
      assert.equal(status, 403, JSON.stringify(headers))
    }
    for (const path of ['/api/%65vents', '/api//events', `http://${host}/api/events`]) {
      assert.notEqual(await ask('GET', path, upgrade), 101, path)
    }
  })

  it('answers programs, and its own pages', async () => {
    await using started = await startWithMail()
    const { host, ask } = started
    const own: readonly Readonly<Record<string, string>>[] = [
      {},
      { origin: `http://${host}` },
      { 'sec-fetch-site': 'none' },
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      { host: 'localhost:9000', origin: 'http://localhost:9000' },
    ]
    for (const headers of own) {
      assert.equal(await ask('GET', '/api/v1/messages', headers), 200, JSON.stringify(headers))
    }
  })

  it('shows a browser the page of a mail with its image, and lets no other page in', async () => {
    await using started = await startWithMail()
    const { service, confirmed } = started
    await using evil = await startSite()
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${service.httpUrl}/view/latest.html`)
      const width = () =>
        page.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth)
      await until(async () => ((await width()) === 1 ? true : null))

      await page.goto(evil.url)
      const read = await page.evaluate(foreignScript(service.httpUrl))
      assert.deepEqual(read, ['refused', 'refused'])
      assert.equal(confirmed(), 0)
      assert.equal((await service.anonymous.get('/api/v2/jim')).status, 404)
    } finally {
      await browser.close()
    }
  })
})
