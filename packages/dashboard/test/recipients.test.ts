import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { borrowWindow } from './testing-dashboard.ts'

describe('recipients in the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of an account with a catch-all inbox. */
  async function open() {
    const service = await shared()
    const account = await service.register()
    const inbox = await account.inboxes.create({ catchAll: true })
    const { httpUrl } = service
    const window = await borrowWindow(browser, { apiKey: account.key, httpUrl })
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: service.smtpPort },
      auth: { user: inbox.id, pass: account.key },
    })
    const send = (to: readonly string[], raw: string) =>
      transport.sendMail({ envelope: { from: 'app@example.com', to: [...to] }, raw })
    const show = (to: string) => window.page.goto(`${httpUrl}/${to}`)
    return { ...window, inbox, send, show }
  }

  it('are shown with their addresses, those of the envelope alone as well', async () => {
    await using window = await open()
    const { page, inbox, send, show } = window
    const to = ['ann@a.example', 'bob@b.example', 'carl@c.example', 'dan@d.example']
    const raw =
      'From: App <app@example.com>\r\nTo: Ann <Ann@a.example>, bob@b.example\r\n' +
      'Cc: =?utf-8?q?C=C3=A4rl?= <carl@c.example>\r\nSubject: Hello\r\n\r\nHi\r\n'
    const tagged = inbox.emailAddress.replace('@', '+bills@')
    for (const address of [inbox.emailAddress, tagged])
      await send([address], 'Subject: Own\r\n\r\n')
    await send(to, raw)
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Hello/ }).waitFor()
    const rows = await page.locator('.row-to').allTextContents()
    assert.deepEqual(rows.slice(1), [` to ${tagged}`], 'one went to the inbox itself')
    await page.locator('.message-row', { hasText: /Hello/ }).click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    assert.deepEqual(await page.locator('.envelope > div').allTextContents(), [
      'FromApp <app@example.com>',
      'ToAnn <Ann@a.example>, bob@b.example',
      'CcCärl <carl@c.example>',
      'Bccdan@d.example',
    ])
  })

  it('are a few at first, and all on request', async () => {
    await using window = await open()
    const { page, inbox, send, show } = window
    const to = Array.from({ length: 90 }, (_, index) => `person${index + 1}@a.example`)
    const raw = `From: app@example.com\r\nTo: ${to.join(',\r\n ')}\r\nSubject: Many\r\n\r\nHi\r\n`
    await send(to, raw)
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Many/ }).click()
    const more = page.getByRole('button', { name: 'and 87 more' })
    await more.waitFor()
    assert.equal(await page.getByText('person90@a.example').count(), 0)
    await more.click()
    await page.getByText('person90@a.example').waitFor()
    // The mail stays in view.
    const panel = await page.getByRole('tabpanel').boundingBox()
    assert.ok(panel !== null && panel.y + 100 < 720, `the mail begins at ${panel?.y}`)
  })

  it('of a test mail are any: a catch-all inbox sends it and checks its links', async () => {
    await using window = await open()
    const { page, inbox, send, show } = window
    await show(`#/inboxes/${inbox.id}`)
    await page.getByRole('button', { name: 'Send a test mail' }).click()
    await page.locator('.message-row', { hasText: /Your verification code/ }).click()
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'HTML check' }).click()
    await page.getByText('By mail client').waitFor()
    assert.ok((await page.locator('.clients li').count()) > 10)

    await send(['ann@a.example'], 'Subject: Link\r\n\r\nSee http://127.0.0.1:9/gone\r\n')
    await page.locator('.message-row', { hasText: /Link/ }).first().click()
    await page.getByRole('heading', { name: 'Link', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Code and links' }).click()
    await page.getByRole('button', { name: 'Check links' }).click()
    await page.locator('.link-text .badge.bad').waitFor()
    assert.deepEqual(window.problems, [])
  })

  it('of a catch-all inbox are any: its examples log in', async () => {
    await using window = await open()
    const { page, inbox, show } = window
    await show(`#/inboxes/${inbox.id}`)
    const example = page.locator('.card .code-block')
    for (const name of ['swaks', 'curl', 'Nodemailer', 'Django', 'Laravel', 'Rails']) {
      await page.getByRole('button', { name, exact: true }).click()
      await example.filter({ hasText: inbox.id }).waitFor()
      const text = (await example.textContent()) ?? ''
      assert.match(text, /MAYFLY_API_KEY/, name)
      assert.doesNotMatch(text, new RegExp(inbox.emailAddress), name)
    }
  })
})
