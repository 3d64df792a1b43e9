import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../../../test/testing-browser.ts'
import { serveDocsPage } from './docs-page.ts'

const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

/** Markup in every text: none of it may become elements. */
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

const API = {
  openapi: '3.1.0',
  info: { title: 'Sample', version: '1.0.0', description: `About \`code\`.\n\n${HOSTILE}` },
  components: {
    schemas: {
      Error: { type: 'object', properties: { error: { type: 'object' } }, required: ['error'] },
      Inbox: {
        type: 'object',
        required: ['id', 'count'],
        properties: {
          id: { type: 'string', example: 'inb_1' },
          count: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
          parent: { $ref: '#/components/schemas/Inbox' },
        },
      },
    },
  },
  webhooks: {
    'message.received': {
      post: {
        tags: ['Webhooks'],
        summary: 'A message has arrived',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Inbox' } } },
        },
        responses: { '2XX': { description: 'Taken.' } },
      },
    },
  },
  paths: {
    '/v1/accounts': {
      post: { tags: ['Accounts'], summary: HOSTILE, responses: { 204: { description: 'Done.' } } },
    },
    '/v1/events': {
      get: { tags: ['Inboxes'], summary: 'Event stream', responses: { 200: { description: '.' } } },
    },
    '/v1/raw': {
      get: { tags: ['Inboxes'], summary: 'Raw mail', responses: { 200: { description: '.' } } },
    },
    '/v1/inboxes': {
      post: {
        tags: ['Inboxes'],
        summary: 'Create an inbox',
        security: [{ apiKey: [] }],
        parameters: [{ in: 'header', name: 'idempotency-key', schema: { maxLength: 255 } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['label'],
                properties: {
                  label: { type: 'string', example: "it's mine" },
                  ttlSeconds: { type: 'integer', minimum: 600, maximum: 900, default: 700 },
                  check: { oneOf: [{ const: 'spf' }, { type: 'null' }] },
                },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'Default Response',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Inbox' } } },
          },
          409: { description: '`address_taken`: This address is taken.', content: ERROR },
        },
      },
    },
    '/v1/inboxes/{inboxId}/wait': {
      get: {
        tags: ['Inboxes'],
        summary: 'Wait for a message',
        security: [{ apiKey: [] }],
        parameters: [
          { in: 'path', name: 'inboxId', required: true, schema: { type: 'string' } },
          {
            in: 'query',
            name: 'for',
            required: true,
            description: 'What to wait for.',
            schema: { type: 'string', enum: ['message', 'otp'] },
          },
        ],
        responses: { 200: { description: 'It arrived.' } },
      },
    },
  },
}

const CREATE = '#post-v1-inboxes'
const WAIT = '#get-v1-inboxes-inboxId-wait'

describe('the page at /docs', () => {
  let browser: Browser
  let server: FastifyInstance
  let base = ''
  let status = 200
  /** What "Try it" sent, each as a line and its body. */
  const received: unknown[] = []

  before(async () => {
    server = sampleApi(() => status, received)
    base = await server.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
  })

  after(async () => {
    await browser.close()
    await server.close()
  })

  /** Opens the page, lets `look` see it, and then fails on any complaint or foreign request. */
  async function visit(look: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const complaints: string[] = []
    const requests: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(`${base}/docs`)
    await page.locator('article').first().waitFor()
    await look(page)
    await context.close()
    assert.deepEqual(complaints, [])
    const loaded = requests.filter((url) => !url.startsWith(`${base}/v1/`))
    assert.deepEqual(loaded, [`${base}/docs`, `${base}/openapi.json`])
  }

  it('shows every operation, by tag', () =>
    visit(async (page) => {
      const tags = ['Accounts', 'Inboxes', 'Webhooks']
      assert.deepEqual(await page.locator('main h2').allTextContents(), tags)
      assert.deepEqual(await page.locator('nav #list li').allTextContents(), [
        `post${HOSTILE}`,
        'getEvent stream',
        'getRaw mail',
        'postCreate an inbox',
        'getWait for a message',
        'postA message has arrived',
      ])
      assert.deepEqual(await page.locator('article .route').allTextContents(), [
        'post/v1/accounts',
        'get/v1/events',
        'get/v1/raw',
        'post/v1/inboxes',
        'get/v1/inboxes/{inboxId}/wait',
        'postmessage.received',
      ])
    }))

  it('describes parameters, bodies and responses', () =>
    visit(async (page) => {
      const texts = (await page.locator('article').allTextContents()).join('\n')
      for (const part of [
        'Needs an API key.',
        'Needs no API key.',
        'Sent by the service to your endpoint.',
        'idempotency-keyany · optionalat most 255 characters',
        'labelstringttlSeconds',
        'integer · optional600 to 900; default 700',
        'check"spf" or null · optional',
        'forstringWhat to wait for.one of message, otp',
        '204no bodyDone.',
        '2XXno bodyTaken.',
        '201application/jsonidstring',
        '409application/jsonaddress_taken: This address is taken.',
      ]) {
        assert.ok(texts.includes(part), `'${part}' is missing in:\n${texts}`)
      }
      assert.ok(!texts.includes('9007199254740991'), 'a bound that says nothing is left out')
    }))

  it('follows references, also into themselves', () =>
    visit(async (page) => {
      const example = await page.locator(`${CREATE} pre`).last().textContent()
      assert.partialDeepStrictEqual(JSON.parse(example ?? ''), {
        id: 'inb_1',
        count: 0,
        parent: { id: 'inb_1', parent: { id: 'inb_1' } },
      })
    }))

  it('gives a curl line that a shell takes, and copies it', () =>
    visit(
      async (page) => {
        const [create, wait] = [page.locator(`${CREATE} pre`), page.locator(`${WAIT} pre`)]
        const line = `curl -X POST "${base}/v1/inboxes" \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"label":"it'\\''s mine"}'`
        assert.equal(await create.first().textContent(), line)
        assert.match(
          (await wait.first().textContent()) ?? '',
          /\/v1\/inboxes\/\$INBOX_ID\/wait\?for=message"/,
        )

        const button = page.locator(`${CREATE} button`).first()
        await button.click()
        await page.getByText('Copied').waitFor()
        assert.equal(await page.evaluate('navigator.clipboard.readText()'), line)
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ))

  it('filters by every word, in path, method, title and tag', () =>
    visit(async (page) => {
      const shown = page.locator('article:visible')
      await page.keyboard.press('/')
      await page.keyboard.type('inboxes get wait')
      assert.equal(await shown.count(), 1)
      assert.equal(await page.locator('nav #list li:visible').count(), 1)
      assert.deepEqual(await page.locator('main h2:visible').allTextContents(), ['Inboxes'])
      assert.equal(await page.locator('#count').textContent(), '1 operation')
      await page.locator('#filter').fill('')
      assert.equal(await shown.count(), 6)
    }))

  it('fits a phone, where the menu opens and closes', () =>
    visit(
      async (page) => {
        const item = page.locator('nav #list li', { hasText: 'Wait for a message' })
        assert.equal(await item.isVisible(), false)
        await page.locator('nav summary').click()
        await item.click()
        assert.equal(await item.isVisible(), false)
        assert.equal(new URL(page.url()).hash, WAIT)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
      },
      { viewport: { width: 360, height: 740 } },
    ))

  it('shows what the description says as text', () =>
    visit(async (page) => {
      assert.equal(await page.title(), 'Sample API 1.0.0')
      assert.ok((await page.locator('#about').textContent())?.includes(HOSTILE))
      assert.equal(await page.locator('img').count(), 0)
      assert.equal(await page.locator('script').count(), 1)
    }))

  /** Opens the form of an operation. */
  async function open(page: Page, article: string) {
    await page.locator(`${article} .try summary`).click()
    return page.locator(`${article} .try`)
  }

  it('sends an operation with the key, and shows the response as text', () =>
    visit(async (page) => {
      await page.locator('#key').fill('mf_test_key')
      const form = await open(page, CREATE)
      await form.getByLabel('idempotency-key (header)').fill('once')
      await form.getByLabel('Body').fill('{"label":"mine"}')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByText(/^201 Created after \d+ ms$/).waitFor()
      assert.deepEqual(received.splice(0), [
        ['POST /v1/inboxes', 'Bearer mf_test_key', 'once', { label: 'mine' }],
      ])
      const shown = await form.locator('pre').first().textContent()
      assert.deepEqual(JSON.parse(shown ?? ''), { inbox: { subject: HOSTILE } })
      assert.equal(await page.locator('img').count(), 0)
    }))

  it('fills path and query, and leaves out what is empty', () =>
    visit(async (page) => {
      const form = await open(page, WAIT)
      const send = form.getByRole('button', { name: 'Send' })
      await send.click()
      assert.equal(await form.getByRole('status').textContent(), '', 'a required field is empty')
      await form.getByLabel('inboxId (path)').fill('a/b?c')
      await form.getByLabel('for (query)').selectOption('otp')
      await send.click()
      await form.getByText(/^200 OK/).waitFor()
      assert.deepEqual(received.splice(0), [
        ['GET /v1/inboxes/a%2Fb%3Fc/wait?for=otp', undefined, undefined, null],
      ])
    }))

  it('takes over the key of a new account, unless there is one', () =>
    visit(async (page) => {
      const form = await open(page, '#post-v1-accounts')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.getByText(/^201 Created/).waitFor()
      await form.locator('pre', { hasText: 'mf_test_new' }).waitFor()
      assert.equal(await page.locator('#key').inputValue(), 'mf_test_new')
      await page.locator('#key').fill('mf_test_mine')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.locator('pre', { hasText: 'mf_test_new' }).waitFor()
      assert.equal(await page.locator('#key').inputValue(), 'mf_test_mine')
    }))

  it('shows a stream as it arrives, and cancels it', () =>
    visit(async (page) => {
      const form = await open(page, '#get-v1-events')
      await form.getByRole('button', { name: 'Send' }).click()
      await form.locator('pre', { hasText: 'event: first' }).waitFor()
      await form.getByRole('button', { name: 'Cancel' }).click()
      await form.getByText('Cancelled.').waitFor()
      await form.getByRole('button', { name: 'Send' }).waitFor()
    }))

  it('offers bytes as a download', () =>
    visit(async (page) => {
      const form = await open(page, '#get-v1-raw')
      await form.getByRole('button', { name: 'Send' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        form.getByRole('link', { name: 'Download mail.eml' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'mail.eml')
    }))

  it('is served with a policy that allows nothing but itself', async () => {
    const response = await server.inject('/docs')
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(response.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; connect-src 'self'; script-src 'sha256-[^']+';/)
    assert.doesNotMatch(policy, /unsafe/)
  })

  it('may run no script but its own', async () => {
    const page = await browser.newPage()
    await page.goto(`${base}/docs`)
    await assert.rejects(page.addScriptTag({ content: 'document.title = 1' }), /Content Security/)
    await page.close()
  })

  it('says so when the description does not come', async () => {
    status = 503
    const page = await browser.newPage()
    await page.goto(`${base}/docs`)
    await page.getByText('The description could not be loaded.').waitFor()
    await page.close()
    status = 200
  })
})

function sampleApi(status: () => number, received: unknown[]): FastifyInstance {
  const http = fastify({ forceCloseConnections: true })
  serveDocsPage(http)
  http.get('/openapi.json', (_request, reply) => reply.code(status()).send(API))
  http.addHook('preHandler', async ({ method, url, headers, body }) => {
    if (!url.startsWith('/v1/inboxes')) return
    const { authorization, 'idempotency-key': key } = headers
    received.push([`${method} ${url}`, authorization, key, body ?? null])
  })
  http.post('/v1/accounts', (_request, reply) => reply.code(201).send({ apiKey: 'mf_test_new' }))
  http.post('/v1/inboxes', (_request, reply) =>
    reply.code(201).send({ inbox: { subject: HOSTILE } }),
  )
  http.get('/v1/inboxes/:id/wait', (_request, reply) => reply.send({}))
  http.get('/v1/events', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.write('event: first\n\n')
  })
  http.get('/v1/raw', (_request, reply) =>
    reply
      .headers({
        'content-type': 'message/rfc822',
        'content-disposition': 'attachment; filename="mail.eml"',
      })
      .send(Buffer.from('Subject: hi\r\n\r\nhi')),
  )
  return http
}
