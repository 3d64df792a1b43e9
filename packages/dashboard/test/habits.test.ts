import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { first } from '../../server/test/testing-first.ts'
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

/** Keeps the titles that the page shows from now on in its variable `shown`. */
async function recordTitles(page: Page): Promise<void> {
  await page.evaluate(`
    shown = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) shown.push(addedNodes[0]?.data)
    }).observe(document.querySelector('title'), { childList: true })`)
}

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
    await page.getByRole('link', { name: /Hello/ }).waitFor()
    assert.equal(await panes(), '.sidebar .messages-pane')
    await page.getByRole('link', { name: /Hello/ }).click()
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
    await page.getByRole('link', { name: /Hello/ }).click()
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
    await page.getByRole('link', { name: /One/ }).click()
    await until(async () => ((await page.title()) === 'Mayfly' ? true : null))
    assert.equal(await icon(), plain)
  })

  it('does not show a count again that was read before a message was', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    await show('#/')
    await page.getByTitle('Live', { exact: true }).waitFor()
    const counted = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let isHeld = false
    let readings = 0
    await page.route(`**/v1/inboxes/${inbox.id}`, async (route) => {
      const response = await route.fetch()
      const { unreadCount } = await response.json()
      if (unreadCount === 1 && !isHeld) {
        isHeld = true
        counted.resolve()
        await released.promise
      }
      readings += 1
      await route.fulfill({ response })
    })
    await service.sendMail({ to: inbox.emailAddress, subject: 'One' })
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
    const { id } = first((await inbox.listMessages()).messages)
    // A change of a message that is not listed makes the page read the inbox.
    for (const read of [true, false]) await inbox.markRead(id, read)
    await counted.promise
    await show(`#/inboxes/${inbox.id}`)
    await page.getByRole('link', { name: /One/ }).click()
    await until(async () => ((await page.title()) === 'Mayfly' ? true : null))
    await recordTitles(page)
    const before = readings
    released.resolve()
    // The one that was held, and the one that settles the doubt.
    await until(async () => (readings >= before + 2 ? true : null))
    assert.ok(!String(await page.evaluate('shown')).includes('(1)'))
    await until(async () => ((await page.title()) === 'Mayfly' ? true : null))
  })

  it('does not show a count that was read while a message was being marked', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    for (const subject of ['Other', 'One']) {
      await service.sendMail({ to: inbox.emailAddress, subject })
    }
    const [one, other] = (await inbox.listMessages()).messages
    assert.ok(one !== undefined && other !== undefined)
    await inbox.markRead(other.id)
    const released = Promise.withResolvers<void>()
    let readings = 0
    await page.route(`**/v1/inboxes/${inbox.id}`, async (route) => {
      await route.fulfill({ response: await route.fetch() })
      readings += 1
    })
    await page.route(`**/messages/${one.id}`, async (route) => {
      if (route.request().method() === 'PATCH') await released.promise
      await route.continue()
    })
    await show(`#/inboxes/${inbox.id}?q=One`)
    await page.getByTitle('Live', { exact: true }).waitFor()
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
    await page.getByRole('link', { name: /One/ }).click()
    await until(async () => ((await page.title()) === 'Mayfly' ? true : null))
    await recordTitles(page)
    const before = readings
    // A change of a message that is not listed makes the page read the inbox.
    await inbox.markRead(other.id, false)
    await until(async () => (readings > before ? true : null))
    released.resolve()
    await until(async () => ((await page.title()) === '(1) Mayfly' ? true : null))
    assert.deepEqual(await page.evaluate('shown'), ['(1) Mayfly'])
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
    await page.getByRole('link', { name: /Styled/ }).click()
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
      await page.getByRole('link', { name: new RegExp(subject) }).click()
      await page.getByRole('heading', { name: subject }).waitFor()
      await page.frameLocator('iframe').getByText('Hi').waitFor()
      assert.equal(await button.count(), count, subject)
    }
  })
})
