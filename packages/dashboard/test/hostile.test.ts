import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { HOSTILE_HTML } from '../../mail/test/testing-hostile-html.ts'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { openWindow } from './testing-dashboard.ts'

/** Ways to place a payload in the HTML of a mail. */
const PLACES: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `<div title="x"><p>${payload}</p></div><p>after</p>`,
  (payload) => `<table><tr><td>${payload}`,
]

const ALL = PLACES.flatMap((place) => HOSTILE_HTML.map(place)).slice(0, 500)

/** In `npm test` one in eighty; in `npm run soak` all 500. */
const MAILS = process.env['SOAK'] === undefined ? ALL.filter((_, index) => index % 80 === 3) : ALL

/** Tabs beside the preview; that of the delivery has the SMTP dialogue. */
const TABS = [
  'Text',
  'Code and links',
  'Headers',
  'Source',
  'Delivery',
  'Attachments',
  'HTML check',
]

/** A sender whose address is markup, in the SMTP dialogue. */
const SENDER = '"<svg/onload=alert(1)"@example.com'

/** A header of any text. */
const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`

/** A local part of an address of almost any text. */
const quoted = (text: string) => `"${text.replace(/[^\x20-\x7e]/g, '').replace(/[\\"]/g, '\\$&')}"`

/** HTML that shows a text as it is. */
const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The payload as HTML, as text, and in all that a list shows. */
function hostileMail(to: string, html: string): string {
  return [
    `From: ${encoded(html)} <${quoted(html)}@example.com>`,
    `To: ${encoded(html)} <${to}>`,
    `Cc: ${quoted(html)}@example.com`,
    `X-Hostile: ${encoded(html)}`,
    `Subject: ${encoded(html)}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=hostile',
    '',
    '--hostile',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    // Also as the text and the address of a link.
    Buffer.from(
      `${html}<a href="https://x.example/${encodeURIComponent(html)}">${asText(html)}</a>`,
    ).toString('base64'),
    '--hostile',
    `Content-Type: text/plain; name="${encoded(html)}"`,
    'Content-Disposition: attachment',
    '',
    'x',
    '--hostile--',
    '',
  ].join('\r\n')
}

describe('hostile mails in the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  it('run no script and send no request, in the page and in their frames alone', async () => {
    const service = await shared()
    const account = await service.register()
    await using window = await openWindow(browser, { apiKey: account.key })
    // A window of its own: of two pages in one, that in the back is slowed down.
    await using alone = await openWindow(browser, { apiKey: null })
    const { page } = window
    const seen = [window, alone].map(({ context }) => watch(context, service.httpUrl))
    for (const html of MAILS) {
      const inbox = await account.inboxes.create()
      const to = inbox.emailAddress
      await service.sendMail({ from: SENDER, to, raw: hostileMail(to, html) })
      const { id } = await inbox.waitForMessage()
      const framed = page.waitForResponse((response) => response.url().includes('/frame/'))
      await page.goto(`${service.httpUrl}/#/inboxes/${inbox.id}/messages/${id}/preview`)
      await framed
      for (const tab of TABS) {
        await page.getByRole('tab', { name: tab }).click()
      }
      await alone.page.goto(
        `${service.httpUrl}${(await account.internal.messages(inbox.id).frame(id)).url}`,
      )
      await inbox.delete()
    }
    assert.deepEqual(seen, [[], []])
  })
})

/** What must not be: requests to elsewhere, dialogs, windows. */
function watch(context: BrowserContext, url: string): readonly string[] {
  const seen: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|about):/.test(request.url())) {
      seen.push(`request to ${request.url()}`)
    }
  })
  context.on('dialog', (dialog) => {
    seen.push(`dialog "${dialog.message()}"`)
    void dialog.dismiss()
  })
  context.on('page', (page) => {
    page.once('popup', () => seen.push('a window was opened'))
  })
  return seen
}
