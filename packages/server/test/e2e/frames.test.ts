import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HOSTILE_HTML } from '../../../mail/test/testing-hostile-html.ts'
import { launchBrowser } from '../testing-browser.ts'
import { testClock } from '../testing-clock.ts'
import { sharedService, startService } from '../testing-start-service.ts'

/** A picture of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const htmlMail = (html: string) =>
  `Subject: page\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`

const WITH_IMAGE = [
  'Subject: with a logo',
  'MIME-Version: 1.0',
  'Content-Type: multipart/related; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<style>.big{color:red}</style><body class="big"><img src="cid:logo"><img src="https://a.example/x.png">',
  '--b',
  'Content-Type: image/png',
  'Content-ID: <logo>',
  'Content-Transfer-Encoding: base64',
  '',
  PIXEL,
  '--b--',
  '',
].join('\r\n')

/** Every fifth of the known payloads in `npm test`, all of them in the long form. */
const PAYLOADS = HOSTILE_HTML.filter((_, i) => i % 5 === 0 || process.env['SOAK'] !== undefined)

/** Frames in one page; their addresses work for a minute. */
const FRAMES_PER_PAGE = 20

describe('a message in a frame', () => {
  const shared = sharedService()

  it('is a document of its own that can do nothing', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const messages = dev.internal.messages(inbox.id)
    await service.sendMail({ to: inbox.emailAddress, raw: WITH_IMAGE })
    const { id } = await inbox.waitForMessage()
    const { url, expiresAt, hasRemoteImages } = await messages.frame(id)
    assert.equal(hasRemoteImages, true)
    assert.match(url, /^\/frame\/[\w.-]+$/)
    assert.ok(Date.parse(expiresAt) > Date.now())
    const { status, text, headers } = await service.anonymous.get(url)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/)
    assert.match(policy, /img-src data:;/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(text, /\.big\{color:red\}/)
    assert.match(text, /<body class="big">/)
    assert.ok(text.includes(`<img src="data:image/png;base64,${PIXEL}" />`), text)
    assert.ok(!text.includes('a.example'))

    const allowed = await messages.frame(id, { remoteImages: 'allow' })
    assert.equal(allowed.hasRemoteImages, true)
    const remote = await service.anonymous.get(allowed.url)
    assert.match(String(remote.headers['content-security-policy']), /img-src data: https: http:;/)
    assert.ok(remote.text.includes('<img src="https://a.example/x.png" />'))
  })

  it('shows a plain mail as text', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const messages = dev.internal.messages(inbox.id)
    await service.sendMail({ to: inbox.emailAddress, text: 'a <b> & c' })
    const { id } = await inbox.waitForMessage()
    const { url, hasRemoteImages } = await messages.frame(id)
    assert.equal(hasRemoteImages, false)
    const { text } = await service.anonymous.get(url)
    assert.match(text, /a &#60;b&#62; &#38; c/)
  })

  it('is gone after a minute, with the message, and for a token that was changed', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const messages = dev.internal.messages(inbox.id)
    await service.sendMail({ to: inbox.emailAddress, raw: htmlMail('<p>hi</p>') })
    const { id } = await inbox.waitForMessage()
    const statusOf = async (url: string) => (await service.anonymous.get(url)).status
    const { url, hasRemoteImages } = await messages.frame(id)
    assert.equal(hasRemoteImages, false)
    clock.ms += 59_999
    assert.equal(await statusOf(url), 200)
    const changed = url.replace(/.(?=.{20}$)/, (one) => (one === 'A' ? 'B' : 'A'))
    for (const other of [changed, '/frame/x', '/frame/v1.', `${url}A`]) {
      assert.equal(await statusOf(other), 404, other)
    }
    clock.ms += 1
    assert.equal(await statusOf(url), 404)
    const fresh = await messages.frame(id)
    await inbox.deleteMessage(id)
    assert.equal(await statusOf(fresh.url), 404)
    await assert.rejects(messages.frame(id), { code: 'message_not_found' })
  })
})

describe('hostile mails in frames', () => {
  it('run no script and send no request, in a page and opened alone', async () => {
    await using service = await startService()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = inbox.emailAddress
    await service.sendMails(
      PAYLOADS.map((html) => ({ to, raw: htmlMail(html.replaceAll('\n', '\r\n')) })),
    )
    // In a tab of its own there is no frame around it: one mail with many payloads.
    const many = HOSTILE_HTML.filter((html) => /<\/\w+>$/.test(html)).join('\r\n')
    await service.sendMail({ to, raw: htmlMail(many) })
    const messages = await Array.fromAsync(inbox.listMessages({ limit: 100 }))
    assert.equal(messages.length, PAYLOADS.length + 1)
    const address = async ({ id }: { readonly id: string }) =>
      `${service.httpUrl}${(await dev.internal.messages(inbox.id).frame(id)).url}`
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext()
      const host = { contentType: 'text/html', body: '<!doctype html><title>host</title>' }
      await context.route(`${service.httpUrl}/host`, (route) => route.fulfill(host))
      const requests: string[] = []
      const dialogs: string[] = []
      context.on('request', (request) => requests.push(request.url()))
      const page = await context.newPage()
      page.on('dialog', async (dialog) => {
        dialogs.push(dialog.message())
        await dialog.dismiss()
      })
      for (let start = 0; start < messages.length; start += FRAMES_PER_PAGE) {
        const shown = messages.slice(start, start + FRAMES_PER_PAGE)
        await page.goto(`${service.httpUrl}/host`)
        await page.evaluate(embed(await Promise.all(shown.map(address))))
        assert.equal(page.frames().length, shown.length + 1)
      }
      const [newest] = messages
      assert.ok(newest !== undefined)
      await page.goto(await address(newest))
      assert.ok((await page.locator('body').innerHTML()).length > 1_000)
      assert.deepEqual(dialogs, [])
      const isExpected = /^data:|\/host$|\/frame\/v1\.[\w-]+$/
      assert.deepEqual(
        requests.filter((url) => !isExpected.test(url)),
        [],
      )
    } finally {
      await browser.close()
    }
  })
})

/** A program for a page: shows addresses in frames as the dashboard does. */
const embed = (addresses: readonly string[]) => `Promise.all(
  ${JSON.stringify(addresses)}.map((address) => new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox')
    frame.onload = () => resolve(null)
    frame.src = address
    document.body.append(frame)
  })),
).then(() => null)`
