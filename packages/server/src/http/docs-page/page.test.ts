import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { docsPage } from './page.ts'

const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

/** Markup in every text: none of it may come to life. */
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
  paths: {
    '/v1/accounts': {
      post: { tags: ['Accounts'], summary: HOSTILE, responses: { 204: { description: 'Done.' } } },
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
  let server: Server
  let base = ''
  let status = 200

  before(async () => {
    server = serve(() => status)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    base = `http://127.0.0.1:${address.port}`
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })

  after(async () => {
    await browser.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
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
    assert.deepEqual(requests, [`${base}/docs`, `${base}/openapi.json`])
  }

  it('shows every operation, by tag', () =>
    visit(async (page) => {
      assert.deepEqual(await page.locator('main h2').allTextContents(), ['Accounts', 'Inboxes'])
      assert.deepEqual(await page.locator('nav li').allTextContents(), [
        `post${HOSTILE}`,
        'postCreate an inbox',
        'getWait for a message',
      ])
      assert.deepEqual(await page.locator('article .route').allTextContents(), [
        'post/v1/accounts',
        'post/v1/inboxes',
        'get/v1/inboxes/{inboxId}/wait',
      ])
    }))

  it('tells what an operation needs and answers', () =>
    visit(async (page) => {
      const texts = (await page.locator('article').allTextContents()).join('\n')
      for (const part of [
        'Needs an API key.',
        'Needs no API key.',
        'idempotency-keyany · optionalat most 255 characters',
        'labelstringttlSeconds',
        'integer · optional600 to 900; default 700',
        'check"spf" or null · optional',
        'forstringWhat to wait for.one of message, otp',
        '204no bodyDone.',
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
          (await wait.textContent()) ?? '',
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
      await page.keyboard.type('inboxes get')
      assert.equal(await shown.count(), 1)
      assert.equal(await page.locator('nav li:visible').count(), 1)
      assert.deepEqual(await page.locator('main h2:visible').allTextContents(), ['Inboxes'])
      assert.equal(await page.locator('#count').textContent(), '1 operation')
      await page.locator('#filter').fill('')
      assert.equal(await shown.count(), 3)
    }))

  it('fits a phone, where the menu opens and closes', () =>
    visit(
      async (page) => {
        const item = page.locator('nav li').last()
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

function serve(status: () => number): Server {
  const { html, contentSecurityPolicy } = docsPage()
  const pages = new Map([
    ['/docs', { type: 'text/html; charset=utf-8', body: html }],
    ['/openapi.json', { type: 'application/json', body: JSON.stringify(API) }],
  ])
  return createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    response.setHeader('content-security-policy', contentSecurityPolicy)
    response.setHeader('content-type', page?.type ?? 'text/plain')
    response.statusCode = request.url === '/openapi.json' ? status() : page ? 200 : 404
    response.end(page?.body)
  })
}
