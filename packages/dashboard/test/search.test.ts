import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { borrowWindow, type WindowLook } from './testing-dashboard.ts'

describe('searching in the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of an account with two inboxes and three mails. */
  async function open(hash: string, look: WindowLook = {}) {
    const service = await shared()
    const account = await service.register()
    const inboxes = [await account.inboxes.create(), await account.inboxes.create()] as const
    const [first, second] = inboxes
    const send = (to: string, subject: string, text = 'Nothing else') =>
      service.sendMail({ to, raw: mailOf({ to, subject, text }) })
    await send(first.emailAddress, 'Receipt 7', 'Thank you. Grüße aus Zürich')
    await send(second.emailAddress, 'Your code', `Hello. ${'Further on. '.repeat(30)}Zürich`)
    await send(second.emailAddress, 'Other news')
    const { httpUrl } = service
    const window = await borrowWindow(browser, { ...look, apiKey: account.key, httpUrl })
    const show = (to: string) => window.page.goto(`${service.httpUrl}/${to}`)
    await show(hash)
    return {
      ...window,
      first,
      second,
      send,
      show,
    }
  }

  const subjects = (page: Page) => page.locator('.row-subject').allTextContents()
  const subjectsAre = (page: Page, expected: readonly string[]) =>
    until(async () => (String(await subjects(page)) === String(expected) ? true : null))
  const focusedRow = (page: Page) =>
    page.evaluate('document.activeElement.closest("li")?.querySelector(".row-subject").textContent')

  it('finds mail of all inboxes, and its address leads back to it', async () => {
    await using window = await open('')
    const { page, first, second } = window
    await page.getByRole('link', { name: 'Search all inboxes' }).click()
    await page.getByText('How to search').filter({ visible: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search all inboxes' }).fill('from:acme zurich')
    await page.keyboard.press('Enter')
    await subjectsAre(page, ['Your code', 'Receipt 7'])
    await page.getByText(/^2 messages as of/).waitFor()
    const row = page.locator('.message-row', { hasText: /Receipt 7/ })
    assert.match(
      String(await row.textContent()),
      new RegExp(first.emailAddress.split('@')[0] ?? ''),
    )
    assert.deepEqual(await row.locator('mark').allTextContents(), ['Acme', 'Zürich'])

    await page.locator('.message-row', { hasText: /Your code/ }).click()
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    assert.ok(page.url().includes(`#/search/${second.id}/messages/`), page.url())
    assert.deepEqual(await page.locator('.mail-text mark').allTextContents(), ['Zürich'])
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByLabel('Filter headers').waitFor()
    await page.reload()
    await page.getByLabel('Filter headers').waitFor()
    await subjectsAre(page, ['Your code', 'Receipt 7'])
    await page.goBack()
    await page.getByText('How to search').filter({ visible: true }).waitFor()
    await subjectsAre(page, ['Your code', 'Receipt 7'])
    assert.deepEqual(window.problems, [])
  })

  it('has the newest mail of all inboxes at home, live', async () => {
    await using window = await open('')
    const { page, first, second, send } = window
    await subjectsAre(page, ['Other news', 'Your code', 'Receipt 7'])
    await page.getByTitle('Live', { exact: true }).waitFor()
    await send(first.emailAddress, 'Latest')
    await subjectsAre(page, ['Latest', 'Other news', 'Your code', 'Receipt 7'])
    await page.locator('.message-row', { hasText: /Your code/ }).click()
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    await send(second.emailAddress, 'Later')
    await subjectsAre(page, ['Later', 'Latest', 'Other news', 'Your code', 'Receipt 7'])
    await page.keyboard.press('Escape')
    await until(async () => ((await focusedRow(page)) === 'Your code' ? true : null))
    assert.equal(new URL(page.url()).hash, '#/mail')
    await first.delete()
    await subjectsAre(page, ['Later', 'Other news', 'Your code'])
    assert.deepEqual(window.problems, [])
  })

  it('is used by keyboard alone', async () => {
    await using window = await open('')
    const { page } = window
    await page.getByText('Choose a mail or an inbox').waitFor()
    await page.keyboard.press('/')
    await until(async () =>
      (await page.evaluate('document.activeElement.id')) === 'search' ? true : null,
    )
    await page.keyboard.type('acme')
    await page.keyboard.press('Enter')
    await subjectsAre(page, ['Other news', 'Your code', 'Receipt 7'])
    await page.keyboard.press('Escape')
    await until(async () => ((await focusedRow(page)) === 'Other news' ? true : null))
    await page.keyboard.press('j')
    await until(async () => ((await focusedRow(page)) === 'Your code' ? true : null))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    // The next one is in another inbox.
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Receipt 7' }).waitFor()
    await page.keyboard.press('Escape')
    await until(async () => ((await focusedRow(page)) === 'Receipt 7' ? true : null))
    await page.keyboard.press('#')
    await page.getByRole('button', { name: 'Undo' }).hover()
    await subjectsAre(page, ['Other news', 'Your code'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await subjectsAre(page, ['Other news', 'Your code', 'Receipt 7'])
  })

  it('says what is wrong with a query as the service says it', async () => {
    await using window = await open('#/search?q=larger%3Atall')
    const { page, first, show } = window
    await page.getByRole('alert').getByText('larger:tall: needs a size').waitFor()
    await page.getByRole('alert').getByText('req_').waitFor()
    await show(`#/inboxes/${first.id}?q=is%3Ared`)
    await page.getByText('is:red: must be read, unread').waitFor()
    assert.equal(await page.getByText('Nothing matches').count(), 0)
  })

  it('tells of mail that arrived since', async () => {
    await using window = await open('#/search?q=acme')
    const { page, first, send } = window
    await page.getByTitle('Live', { exact: true }).waitFor()
    await page.getByText(/^3 messages as of/).waitFor()
    await send(first.emailAddress, 'Latest')
    await page.getByRole('button', { name: '1 new mail' }).click()
    await subjectsAre(page, ['Latest', 'Other news', 'Your code', 'Receipt 7'])
  })

  it('searches older mail on request, and tells how far the index is behind', async () => {
    await using window = await open('#/settings')
    const { page, show } = window
    let calls = 0
    const none = { messages: [], nextCursor: 'older', indexedUntil: '2026-01-01T00:00:00.000Z' }
    await page.route('**/v1/search?*', async (route) => {
      calls += 1
      // Then the page leaves it to the reader.
      if (calls <= 5) return route.fulfill({ json: none })
      const asked = new URL(route.request().url())
      asked.searchParams.delete('cursor')
      return route.fulfill({ response: await route.fetch({ url: asked.href }) })
    })
    await show('#/search?q=acme')
    await page.getByRole('button', { name: 'Search older mail' }).click()
    await subjectsAre(page, ['Other news', 'Your code', 'Receipt 7'])
    await page.getByText('The index is complete up to').waitFor()
  })

  it('searches an inbox in the texts of its mails, live', async () => {
    await using window = await open('')
    const { page, second, send, show } = window
    await show(`#/inboxes/${second.id}`)
    await subjectsAre(page, ['Other news', 'Your code'])
    await page.getByTitle('Live', { exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('zurich -subject:other')
    await subjectsAre(page, ['Your code'])
    await send(second.emailAddress, 'Not here')
    await send(second.emailAddress, 'Fresh', 'zürich')
    await subjectsAre(page, ['Fresh', 'Your code'])
    await page.reload()
    await subjectsAre(page, ['Fresh', 'Your code'])
    await page.getByRole('link', { name: 'All inboxes', exact: true }).click()
    await subjectsAre(page, ['Fresh', 'Your code', 'Receipt 7'])
  })

  it('works on a phone', async () => {
    await using window = await open('', { viewport: { width: 360, height: 740 } })
    const { page } = window
    await page.getByRole('link', { name: 'All mail' }).click()
    await page.locator('.message-row', { hasText: /Receipt 7/ }).waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: 'Search all inboxes' }).click()
    await page.getByText('How to search').filter({ visible: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search all inboxes' }).fill('receipt')
    await page.keyboard.press('Enter')
    await page.locator('.message-row', { hasText: /Receipt 7/ }).click()
    await page.getByRole('heading', { name: 'Receipt 7' }).waitFor()
    assert.equal(
      await page.locator('.sidebar, .messages-pane').filter({ visible: true }).count(),
      0,
    )
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await subjectsAre(page, ['Receipt 7'])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  })
})

function mailOf(mail: { readonly to: string; readonly subject: string; readonly text: string }) {
  return [
    'From: Acme <orders@acme.example>',
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    mail.text,
    '',
  ].join('\r\n')
}
