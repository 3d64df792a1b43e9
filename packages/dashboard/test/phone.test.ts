import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { borrowWindow } from './testing-dashboard.ts'

/** A picture of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const WIDE = '<table width="600"><tr><td>Left<td align="right">Right</table>'
const BLOCKED = '<img src="https://x.example/a.png" alt="A harbour" width="300" height="80">'

const mail = (html: string) =>
  [
    'From: App <app@x.example>',
    'Subject: Wide',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    `--b\r\nContent-Type: text/html\r\n\r\n${html}`,
    '--b\r\nContent-Type: image/png; name=pixel.png\r\nContent-Disposition: attachment',
    `Content-Transfer-Encoding: base64\r\n\r\n${PIXEL}`,
    '--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment',
    '\r\n%PDF-1.4\r\n--b--\r\n',
  ].join('\r\n')

describe('a mail on a phone', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of a phone that shows a mail. */
  async function open(html: string) {
    const service = await shared()
    const account = await service.register()
    const inbox = await account.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw: mail(html) })
    const { id } = await inbox.waitForMessage()
    const { httpUrl } = service
    const viewport = { width: 360, height: 740 }
    const window = await borrowWindow(browser, { apiKey: account.key, httpUrl, viewport })
    await window.page.goto(`${httpUrl}/#/inboxes/${inbox.id}/messages/${id}`)
    return window
  }

  it('is drawn as small as the screen when its width is fixed', async () => {
    await using window = await open(`${WIDE}${BLOCKED}`)
    const { page } = window
    const right = page.frameLocator('iframe').getByText('Right')
    await right.waitFor()
    const html = page.frameLocator('iframe').locator('html')
    const overflow = await html.evaluate((it) => it.scrollWidth - it.clientWidth)
    assert.equal(overflow, 0, 'nothing of the mail is beside its frame')
    const frame = await page.locator('iframe').boundingBox()
    assert.ok(frame !== null && Math.round(frame.width) === 360 && frame.height > 240)
    const image = page.frameLocator('iframe').getByAltText('A harbour')
    const colour = await image.evaluate(
      (img) => Reflect.get(globalThis, 'getComputedStyle')(img).backgroundColor,
    )
    assert.equal(colour, 'rgb(228, 231, 231)')
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    await page.getByText('This mail has no dark styles').waitFor()
    assert.deepEqual(window.problems, [])
  })

  it('has the width of the screen when it fits itself', async () => {
    await using window = await open(`<style>@media (max-width:600px){p{color:red}}</style>${WIDE}`)
    await window.page.frameLocator('iframe').getByText('Right').waitFor()
    const width = await window.page
      .locator('iframe')
      .evaluate((it) => Reflect.get(it, 'clientWidth'))
    assert.equal(width, 360)
  })

  it('shows its pictures, and opens its documents', async () => {
    await using window = await open(WIDE)
    const { page } = window
    await page.getByRole('tab', { name: 'Attachments' }).click()
    const picture = page.locator('img.thumbnail')
    await picture.waitFor()
    const isDrawn = async () =>
      (await picture.evaluate((it) => Reflect.get(it, 'naturalWidth'))) === 1
    await until(async () => ((await isDrawn()) ? true : null))
    await page.evaluate('globalThis.open = (url) => { globalThis.opened = url }')
    await page.getByRole('button', { name: 'Open' }).click()
    // Not by waitForFunction: it asks again by eval, which the policy of the page refuses.
    const opened = await until(() => page.evaluate('globalThis.opened ?? null'))
    assert.match(String(opened), /^blob:/)
    assert.deepEqual(window.problems, [])
  })
})
