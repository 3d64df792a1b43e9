import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { borrowWindow } from './testing-dashboard.ts'

describe('the dashboard in trouble', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of an account with one inbox. */
  async function open(options: { readonly isSignedIn?: boolean } = {}) {
    const service = await shared()
    const account = await service.register()
    const inbox = await account.inboxes.create()
    const apiKey = options.isSignedIn === false ? null : account.key
    const window = await borrowWindow(browser, { apiKey, httpUrl: service.httpUrl })
    const show = (to: string) => window.page.goto(`${service.httpUrl}/${to}`)
    return { ...window, service, account, inbox, show }
  }

  it('says that the service is gone, and that it is back', async () => {
    await using window = await open()
    const { page, service, inbox, show } = window
    await service.sendMail({ to: inbox.emailAddress, subject: 'Before' })
    let state: 'opened' | 'gone' | 'back' = 'opened'
    await page.route('**/v1/**', (route) => {
      if (state === 'gone') return route.abort()
      if (state === 'back' || !route.request().url().includes('/v1/events')) return route.continue()
      return route.fulfill({ contentType: 'text/event-stream', body: '' })
    })
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Before/ }).waitFor()
    state = 'gone'
    // Beside it, a part of the page that was still being read may say the same.
    const unreachable = 'The service cannot be reached. Is it running?'
    const notice = page.getByRole('status').getByText(unreachable)
    await notice.waitFor()
    const dot = page.getByTitle('The service cannot be reached')
    const colour = () =>
      page
        .locator('.live-dot')
        .evaluate((it) => Reflect.get(globalThis, 'getComputedStyle')(it).backgroundColor)
    await dot.waitFor()
    const lost = await colour()
    // Whatever fails now fails for the same reason.
    await page.locator('.message-row', { hasText: /Before/ }).click()
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor()
    await page.keyboard.press('u')
    assert.equal(await page.locator('.toast').count(), 1)

    await service.sendMail({ to: inbox.emailAddress, subject: 'Meanwhile' })
    state = 'back'
    await page.getByTitle('Live', { exact: true }).waitFor()
    await page.locator('.message-row', { hasText: /Meanwhile/ }).waitFor()
    await page.getByRole('heading', { name: 'Before' }).waitFor()
    await notice.waitFor({ state: 'detached' })
    assert.notEqual(await colour(), lost)
  })

  it('says that the service does not accept a key', async () => {
    await using window = await open({ isSignedIn: false })
    const { page, show } = window
    await show('')
    await page.getByLabel('API key').fill('mf_live_mistyped')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The service does not accept this key: it is mistyped').waitFor()
  })

  it('names the address as its field does when it is refused', async () => {
    await using window = await open()
    const { page, show } = window
    await show('#/')
    await page.getByRole('button', { name: 'New inbox' }).first().click()
    await page.getByLabel('Address').fill('UPPER case!')
    await page.getByRole('button', { name: 'Create inbox' }).click()
    await page.getByText(/^Address: must be/).waitFor()
  })
})
