import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { chromium } from 'playwright-core'
import { startFakeHttp } from '../packages/client/test/testing-fake-http.ts'
import { FakeInbox } from '../packages/client/test/testing-fake-inbox.ts'
import { installClient } from './build/installed.ts'

const SECRET = 'whsec_c2VjcmV0'

/** What runs in the page. It is handed over as text, and imports the client as a page does. */
const PROGRAM = `async ({ headers, body, secret }) => {
  const { createClient, EmailTimeoutError, verifyWebhook } = await import('/client/index.js')
  const mayfly = createClient({ baseUrl: location.origin, apiKey: 'mf_test_key' })
  const inbox = await mayfly.inboxes.create()
  const { value } = await inbox.waitForOtp({ subject: /code/i })
  const error = await inbox.waitForLink({ link: /x/, timeoutSeconds: 0 }).catch((e) => e)
  const event = await verifyWebhook(headers, body, secret)
  return [value, error instanceof EmailTimeoutError, event.id]
}`

describe('the client in a browser', () => {
  it('waits, fails and verifies as it does in Node', async () => {
    const { nodeModules } = await installClient()
    const fake = new FakeInbox()
    fake.deliver({ subject: 'Your code', otp: { value: '481516', confidence: 1 } })
    await using server = await startFakeHttp(async (call, gone) => {
      if (call.path === '/') return { status: 200, headers: { 'content-type': 'text/html' } }
      const [, file] = /^\/client\/([\w/-]+\.js)$/.exec(call.path) ?? []
      if (file === undefined) return fake.respond(call, gone)
      const body = await readFile(join(nodeModules, '@mayfly', 'client', 'dist', file), 'utf8')
      return { status: 200, body, headers: { 'content-type': 'text/javascript' } }
    })
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    })
    try {
      const page = await browser.newPage()
      await page.goto(server.baseUrl)
      const seen = await page.evaluate(`(${PROGRAM})(${JSON.stringify(delivery())})`)
      assert.deepEqual(seen, ['481516', true, 'evt_1'])
    } finally {
      await browser.close()
    }
  })
})

function delivery() {
  const body = JSON.stringify({ id: 'evt_1' })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'x-service-signature-version': 'v1',
    'x-service-timestamp': timestamp,
    'x-service-signature': createHmac('sha256', SECRET)
      .update(`${timestamp}.${body}`)
      .digest('hex'),
  }
  return { headers, body, secret: SECRET }
}
