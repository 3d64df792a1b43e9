import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { borrowWindow, type WindowLook } from './testing-dashboard.ts'

/** Stands in for the browser's notifications, and for a page that is not looked at. */
const LOOK_ELSEWHERE = `
  if (window === top) {
    window.notified = []
    window.Notification = class {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(title, { body }) { notified.push(title + ': ' + body) }
    }
    window.lookElsewhere = () =>
      Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })
  }
`

describe('habits of the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of an account with one inbox. */
  async function open(look: WindowLook = {}) {
    const service = await shared()
    const account = await service.register()
    const inbox = await account.inboxes.create()
    const { httpUrl } = service
    const window = await borrowWindow(browser, { ...look, apiKey: account.key, httpUrl })
    await window.page.addInitScript(LOOK_ELSEWHERE)
    return {
      ...window,
      service,
      account,
      inbox,
      show: (to: string) => window.page.goto(`${service.httpUrl}/${to}`),
    }
  }

  it('shows two panes on a tablet', async () => {
    await using window = await open({ viewport: { width: 900, height: 1100 } })
    const { page, service, inbox, show } = window
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hello' })
    const panes = async () => {
      const names = ['.sidebar', '.messages-pane', '.detail-pane']
      const shown = await Promise.all(names.map((name) => page.locator(name).isVisible()))
      return names.filter((_, index) => shown[index] === true).join(' ')
    }
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Hello/ }).waitFor()
    assert.equal(await panes(), '.sidebar .messages-pane')
    await page.locator('.message-row', { hasText: /Hello/ }).click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    assert.equal(await panes(), '.messages-pane .detail-pane')
    await page.getByRole('link', { name: 'About this inbox' }).click()
    await page.getByText('What happened here').waitFor()
    assert.equal(await panes(), '.sidebar .detail-pane')
  })

  it('shows inboxes and mails in a low window', async () => {
    await using window = await open({ viewport: { width: 740, height: 360 } })
    const { page, service, inbox, show } = window
    const to = Array.from({ length: 9 }, (_, index) => `Person ${index} <person@${index}.example>`)
    const raw = `To: ${to}\r\nSubject: Hello\r\nContent-Type: text/html\r\n\r\n<p>The end\r\n`
    await service.sendMail({ to: inbox.emailAddress, raw })
    await show('#/')
    const row = page.locator('.inbox-row')
    await row.waitFor()
    for (const width of [740, 640]) {
      await page.setViewportSize({ width, height: 360 })
      const list = await page.locator('.inbox-list').boundingBox()
      assert.ok(list !== null && list.height >= 100, `${list?.height} pixels at ${width}`)
    }
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    await row.click()
    // The mail is below what such a window shows, and is scrolled to.
    await page.locator('.message-row', { hasText: /Hello/ }).click()
    const mail = page.frameLocator('iframe').getByText('The end')
    await mail.waitFor()
    await page.getByRole('heading', { name: 'Hello' }).hover()
    await until(async () => {
      await page.mouse.wheel(0, 400)
      const place = await mail.boundingBox()
      return place !== null && place.y + place.height <= 360 ? true : null
    })
  })

  it('counts unread mail in the title and on the icon of the tab', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    await show('#/')
    await page.getByTitle('Live', { exact: true }).waitFor()
    const icon = () => page.locator('link[rel=icon]').getAttribute('href')
    const plain = await icon()
    assert.equal(await page.title(), 'Mayfly')
    await service.sendMail({ to: inbox.emailAddress, subject: 'One' })
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
    assert.notEqual(await icon(), plain)
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.pane-title', { hasText: '1 message, 1 unread' }).waitFor()
    await page.locator('.inbox-row', { hasText: /1 unread@\S+?1 messages/ }).waitFor()
    await page.locator('.message-row', { hasText: /One/ }).click()
    await until(async () => ((await page.title()) === 'Mayfly' ? true : null))
    assert.equal(await icon(), plain)
    await page.getByRole('button', { name: 'Mark as unread' }).click()
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
  })

  it('notifies of mail on request, while the reader looks elsewhere', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    await show('#/settings')
    await page.getByLabel('Desktop notifications').check()
    await page.getByTitle('Live', { exact: true }).waitFor()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Seen' })
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
    await page.evaluate('lookElsewhere()')
    await service.sendMail({ to: inbox.emailAddress, subject: 'Unseen' })
    await until(async () => (Number(await page.evaluate('notified.length')) > 0 ? true : null))
    assert.deepEqual(await page.evaluate('notified'), ['App: Unseen'])
  })

  it('has no word of plans and their limits where there are none', async () => {
    await using window = await open()
    const { page, show, account } = window
    const words = page.getByText(/^Plan$|External account|no limit/)
    await show('#/settings')
    await page.getByText('Email', { exact: true }).waitFor()
    assert.equal(await words.count(), 0)
    await show('#/usage')
    await page.getByText('on the busiest').waitFor()
    assert.equal(await words.count(), 0)
    const { account: own, ...others } = (await account.get('/v1/account')).body
    const limited = { ...others, account: { ...own, plan: 'key_only' } }
    await page.route('**/v1/account', (route) => route.fulfill({ json: limited }))
    await show('#/settings')
    await page.getByText('Plan', { exact: true }).waitFor()
    assert.equal(await page.getByText('External account').count(), 0, 'there is no provider')
    const description = (await account.get('/v1/service')).body
    const connecting = { ...description, hasExternalAccounts: true }
    await page.route('**/v1/service', (route) => route.fulfill({ json: connecting }))
    await page.reload()
    await page.getByText('External account').waitFor()
  })

  it('has no single keys when they are switched off', async () => {
    await using window = await open()
    const { page, show } = window
    await show('#/settings')
    await page.getByLabel('Keyboard shortcuts').uncheck()
    await page.getByRole('heading', { name: 'Settings' }).click()
    await page.keyboard.press('?')
    await page.keyboard.press('s')
    assert.equal(new URL(page.url()).hash, '#/settings')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByLabel('Keyboard shortcuts').check()
    await page.getByRole('heading', { name: 'Settings' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  })

  it('fetches the images of a mail on request, and shows its dark styles', async () => {
    // Emulated colours would hold for the mail in its frame, too.
    await using window = await open({ colorScheme: null })
    const { page, context, service, inbox, show } = window
    const fetched: string[] = []
    await context.route('http://images.example/**', async (route) => {
      fetched.push(route.request().url())
      await route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      })
    })
    const html = `<style>p { color: rgb(1, 2, 3) } @media (prefers-color-scheme: dark) { p { color: rgb(4, 5, 6) } }</style>
      <p>Hi</p><img src="http://images.example/logo.svg" alt="Logo">`
    const raw = `From: a@b.example\r\nSubject: Styled\r\nContent-Type: text/html\r\n\r\n${html}\r\n`
    await service.sendMail({ to: inbox.emailAddress, raw })
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Styled/ }).click()
    const text = page.frameLocator('iframe').locator('p')
    const colour = () => text.evaluate((p) => Reflect.get(globalThis, 'getComputedStyle')(p).color)
    assert.equal(await colour(), 'rgb(1, 2, 3)')
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    await until(async () => ((await colour()) === 'rgb(4, 5, 6)' ? true : null))
    await page.getByRole('button', { name: '375', exact: true }).click()
    assert.equal((await page.locator('iframe').boundingBox())?.width, 375)
    assert.deepEqual(fetched, [])
    await page.getByRole('button', { name: 'Load remote images' }).click()
    await until(async () => (fetched.length > 0 ? true : null))
    assert.ok(await page.getByRole('button', { name: 'Remote images shown' }).isDisabled())
  })

  it('offers to load remote images only of mails that have some', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    const mails = {
      Nothing: '<p>Hi</p><img src="data:image/png;base64,AA=="><a href="https://a.example">x</a>',
      Image: '<p>Hi</p><img src="https://images.example/a.png">',
      Background: '<style>p { background: url(https://images.example/a.png) }</style><p>Hi</p>',
    }
    for (const [subject, html] of Object.entries(mails)) {
      const raw = `From: a@b.example\r\nSubject: ${subject}\r\nContent-Type: text/html\r\n\r\n${html}\r\n`
      await service.sendMail({ to: inbox.emailAddress, raw })
    }
    await show(`#/inboxes/${inbox.id}`)
    const button = page.getByRole('button', { name: 'Load remote images' })
    for (const [subject, count] of [
      ['Image', 1],
      ['Nothing', 0],
      ['Background', 1],
    ] as const) {
      await page.locator('.message-row', { hasText: new RegExp(subject) }).click()
      await page.getByRole('heading', { name: subject }).waitFor()
      await page.frameLocator('iframe').getByText('Hi').waitFor()
      assert.equal(await button.count(), count, subject)
    }
  })
})
