import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { TestAccount } from '../../server/test/testing-account.ts'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { borrowWindow, type WindowLook } from './testing-dashboard.ts'

describe('the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  /** A window of a new account, which is signed in unless told otherwise. */
  async function open(hash = '', look: WindowLook & { readonly isSignedIn?: boolean } = {}) {
    const service = await shared()
    const account = await service.register()
    const apiKey = look.isSignedIn === false ? null : account.key
    const window = await borrowWindow(browser, { ...look, apiKey, httpUrl: service.httpUrl })
    const show = (to: string) => window.page.goto(`${service.httpUrl}/${to}`)
    await show(hash)
    return {
      ...window,
      service,
      account,
      show,
    }
  }

  it('is entered by a sign-in link, once', async () => {
    await using window = await open('', { isSignedIn: false })
    const { page, account } = window
    const { url } = (await account.post('/v1/sign-in-links')).body
    await page.goto(url)
    await page.getByText('Create your first inbox').waitFor()
    assert.equal(new URL(page.url()).hash, '#/', 'the token is not left in the history')
    await page.reload()
    await page.getByText('Create your first inbox').waitFor()

    await using other = await open('', { isSignedIn: false })
    await other.page.goto(url)
    await other.page.getByText('This sign-in link was used before').waitFor()
    assert.deepEqual(window.problems, [])
  })

  it('registers an account and shows its key once', async () => {
    await using window = await open('', { isSignedIn: false })
    const { page } = window
    await page.getByRole('button', { name: 'Create one' }).click()
    await page.getByLabel('Email').fill('newcomer@example.com')
    await page.getByRole('button', { name: 'Create account' }).click()
    const key = await page.locator('.issued-key code').textContent()
    assert.match(key ?? '', /^mf_live_/)
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByText('Create your first inbox').waitFor()
  })

  it('remembers a key on request, and forgets it at sign-out', async () => {
    await using window = await open('', { isSignedIn: false })
    const { page, account, context, service } = window
    await page.getByRole('button', { name: 'Copy command' }).click()
    await page.getByText('command copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npx mayfly open')
    await page.getByLabel('API key').fill(String(account.key))
    await page.getByLabel('Remember on this device').check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Create your first inbox').waitFor()

    const tab = await context.newPage()
    await tab.goto(`${service.httpUrl}/#/settings`)
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { name: 'Sign in to Mayfly' }).waitFor()
    await tab.reload()
    await tab.getByRole('heading', { name: 'Sign in to Mayfly' }).waitFor()
  })

  it('ends with a sentence when its key is revoked', async () => {
    await using window = await open('', { isSignedIn: false })
    const { page, account } = window
    const { url } = (await account.post('/v1/sign-in-links')).body
    await page.goto(url)
    await page.getByTitle('Live', { exact: true }).waitFor()
    const [own] = (await account.get('/v1/keys')).body.sessions
    await account.delete(`/v1/keys/${own.id}`)
    await page.getByText('The service does not accept this key').waitFor()
  })

  it('shows a mail the moment it arrives, and copies its code', async () => {
    await using window = await open()
    const { page, service } = window
    await page.getByRole('button', { name: 'New inbox' }).last().click()
    await page.getByLabel('Address').fill('first')
    await page.getByRole('button', { name: 'Create inbox' }).click()
    await page.getByText(`127.0.0.1:${service.smtpPort}`).first().waitFor()

    await service.sendMail({ to: 'first@mayfly.test', subject: 'Your code', text: 'Code: 481516' })
    await page.locator('.message-row', { hasText: /Your code/ }).click()
    await page.getByRole('heading', { name: 'Your code' }).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Code copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), '481516')

    await page.getByRole('tab', { name: 'Code and links' }).click()
    await page.getByText('It has six digits').waitFor()
    await page.reload()
    await page.getByText('It stands after ‘Code:’').waitFor()
    assert.equal(await page.title(), 'Mayfly', 'an opened message is read')
    assert.deepEqual(window.problems, [])
  })

  it('shows how a mail came: its dialogue, its stages, its headers, its source', async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = await createInbox(account)
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hello', text: 'Hi there' })
    const { messages } = (await account.get(`/v1/inboxes/${inbox.id}/messages`)).body
    await show(`#/inboxes/${inbox.id}/messages/${messages[0].id}/delivery`)
    await page.getByText('C: EHLO client.example').waitFor()
    await page.getByText('Message stored').waitFor()

    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByLabel('Filter headers').fill('subject')
    assert.equal(await page.locator('.headers dt').count(), 1)

    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByLabel('Find in the source').fill('hi there')
    await page.getByText('1 match', { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    assert.equal(download.suggestedFilename(), `${messages[0].id}.eml`)
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as .eml' }).click(),
    ])
    assert.equal(again.suggestedFilename(), `${messages[0].id}.eml`)
  })

  it("shows how to send by a provider's API, and a call that did", async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = (await account.post('/v1/inboxes', { catchAll: true })).body.inbox
    await show(`#/inboxes/${inbox.id}`)
    await page.getByLabel('Send by').selectOption('Postmark')
    const [baseUrl = '', key = ''] = await page.locator('.code-block pre').allTextContents()
    assert.equal(baseUrl, `${service.httpUrl}/providers/postmark/`)
    assert.equal(key, `MAYFLY_API_KEY.${inbox.id}`)
    const sent = await fetch(`${baseUrl}email`, {
      method: 'POST',
      headers: {
        'x-postmark-server-token': key.replace('MAYFLY_API_KEY', String(account.key)),
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        ...{ From: 'app@example.com', To: 'a@example.com', Subject: 'Hi \u202e', TextBody: 'Hi' },
        Attachments: [{ Name: 'a.txt', ContentType: 'text/plain', Content: 'b25l' }],
      }),
    })
    const { MessageID: id } = JSON.parse(await sent.text())
    await page.locator('.message-row', { hasText: /Hi/ }).click()
    await page.getByRole('tab', { name: 'Delivery' }).click()
    await page.getByText('API call accepted').waitFor()
    const facts = await page.locator('.panel dl').last().locator('dd').allTextContents()
    assert.deepEqual(facts, ['postmark', 'POST /email', id])
    const request = (await page.locator('.code-block pre').textContent()) ?? ''
    assert.match(request, /"Subject": "Hi \[U\+202E\]"/)
    assert.match(request, /"Content": "<3 bytes>"/)
    assert.equal(await page.getByText('SMTP').count(), 0)
    assert.deepEqual(window.problems, [])
  })

  it('deletes a message, and takes it back', async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = await createInbox(account)
    await service.sendMail({ to: inbox.emailAddress, subject: 'Unwanted' })
    await service.sendMail({ to: inbox.emailAddress, subject: 'Wanted' })
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Unwanted/ }).click()
    await page.getByRole('button', { name: 'Delete message' }).click()
    // The notice stays while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover()
    await page.locator('.message-row', { hasText: /Unwanted/ }).waitFor({ state: 'detached' })
    await page.locator('.pane-title', { hasText: '1 message ·' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.message-row', { hasText: /Unwanted/ }).waitFor()
    await page.locator('.inbox-row', { hasText: /@\S+?2 messages/ }).waitFor()
    assert.equal((await messagesOf(account, inbox.id)).length, 2)

    await page.locator('.message-row', { hasText: /Unwanted/ }).click()
    await page.getByRole('button', { name: 'Delete message' }).click()
    await page.locator('.message-row', { hasText: /Unwanted/ }).waitFor({ state: 'detached' })
    // Leaving the page is the end of the time to take it back.
    await page.goto('about:blank')
    await holds(async () => (await messagesOf(account, inbox.id)).length === 1)
  })

  it('keeps the place in the list when mail comes', async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = await createInbox(account)
    const mails = Array.from({ length: 40 }, (_, index) => ({
      to: inbox.emailAddress,
      subject: `Number ${index}`,
    }))
    await service.sendMails(mails)
    await show(`#/inboxes/${inbox.id}`)
    await page.locator('.message-row', { hasText: /Number 39/ }).waitFor()
    assert.ok((await page.locator('.message-row').count()) < 40, 'rows out of sight are not there')
    await page.locator('.virtual').evaluate((list) => list.scrollTo(0, 760))
    const seen = page.locator('.message-row', { hasText: /Number 25/ })
    const before = await seen.boundingBox()
    await service.sendMails(mails.slice(0, 3))
    await page.getByRole('button', { name: '3 new' }).waitFor()
    assert.deepEqual(await seen.boundingBox(), before)
    await page.getByRole('button', { name: '3 new' }).click()
    await page.getByRole('button', { name: '3 new' }).waitFor({ state: 'detached' })
  })

  it('tells of tests that wait, and of mail that went elsewhere', async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = await createInbox(account, 'signup-flow')
    await show(`#/inboxes/${inbox.id}`)
    await page.getByTitle('Live', { exact: true }).waitFor()
    const abort = new AbortController()
    const waiting = account
      .get(`/v1/inboxes/${inbox.id}/wait?for=otp`, { signal: abort.signal })
      .catch(() => null)
    await page.getByText('1 test is waiting here for a code').first().waitFor()
    abort.abort()
    await waiting
    await page.getByText('1 test is waiting').first().waitFor({ state: 'detached' })

    await service.sendMails([{ to: 'signup-flo@mayfly.test', subject: 'Lost' }])
    await page.getByText('Mail to a similar address').waitFor()
  })

  it('keeps the account: keys, domains, webhooks, scenarios, usage', async () => {
    await using window = await open('#/keys')
    const { page, show, service } = window
    let { account } = window
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('CI')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Key “CI” is shown only once').waitFor()
    await page.locator('li', { hasText: /^CI/ }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await holds(async () => (await account.get('/v1/keys')).body.keys.length === 1)

    await page.getByRole('button', { name: "Rotate this page's key" }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByText('Key “default” is shown only once').waitFor()
    const secret = await page.locator('.issued-key code').textContent()
    account = service.account(String(secret))
    await page.getByText('this page', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('this page', { exact: true }).waitFor()

    await show('#/domains')
    await page.getByLabel('Domain').fill('mail.dashboard.example')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText('_mayfly-challenge.mail.dashboard.example').waitFor()
    await account.domains.delete('mail.dashboard.example')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.locator('.toast.error .request-id', { hasText: 'req_' }).waitFor()

    await show('#/webhooks')
    await page.getByLabel('Endpoint').fill('https://127.0.0.1:9/hook')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText('Signing secret').waitFor()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('Not delivered').waitFor()

    await show('#/scenarios')
    const inbox = await createInbox(account)
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hi', text: 'Your code is 481516' })
    await runScenario(page)

    await show('#/usage')
    await page.getByText('Inboxes this month').waitFor()
    await page.getByRole('img', { name: /requests by day/ }).waitFor()
  })

  it('shows the newest hundred inboxes, and older ones on request', async () => {
    await using window = await open('', { isSignedIn: false })
    const { page, account } = window
    await Promise.all(Array.from({ length: 101 }, () => createInbox(account)))
    await page.goto((await account.post('/v1/sign-in-links')).body.url)
    await page.getByRole('button', { name: 'Show older inboxes' }).click()
    await page.getByRole('button', { name: 'Show older inboxes' }).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.inbox-row').count(), 101)
  })

  it('shows one pane on a phone', async () => {
    await using window = await open('', { viewport: { width: 360, height: 740 } })
    const { page, service, account, show } = window
    const inbox = await createInbox(account, 'phone')
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hello', text: 'Code: 481516' })
    await service.sendMail({ to: inbox.emailAddress, subject: 'long '.repeat(150), text: 'x' })
    await show('#/')
    await page.reload()
    await page.getByRole('link', { name: /^phone/ }).click()
    const time = await page
      .locator('.message-row', { hasText: /long long/ })
      .locator('time')
      .boundingBox()
    assert.ok(time !== null && time.x + time.width < 360, 'a long subject leaves the time in view')
    await page.locator('.message-row', { hasText: /Hello/ }).click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    assert.equal(
      await page.locator('.sidebar, .messages-pane').filter({ visible: true }).count(),
      0,
    )
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.equal(width, 360)
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await page.getByRole('link', { name: 'All inboxes' }).click()
    await page.getByRole('link', { name: 'Webhooks' }).waitFor()
  })

  it('is used by keyboard alone', async () => {
    await using window = await open()
    const { page, service, account, show } = window
    const inbox = await createInbox(account)
    await show(`#/inboxes/${inbox.id}`)
    for (const subject of ['Oldest', 'Middle', 'Newest']) {
      await service.sendMail({
        to: inbox.emailAddress,
        subject,
        text: `${subject}: your code is 481516`,
      })
    }
    await page.locator('.message-row', { hasText: /Newest/ }).waitFor()
    // Only a row: the text of the body, which has the focus at first, holds every subject.
    const focused = () => page.evaluate('document.activeElement.closest("li")?.textContent')
    await page.keyboard.press('j')
    await holds(async () => /Newest/.test(String(await focused())))
    await page.keyboard.press('ArrowDown')
    await holds(async () => /Middle/.test(String(await focused())))
    await page.keyboard.press('c')
    await page.getByText('Code copied').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Middle' }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'Newest' }).waitFor()
    await page.keyboard.press('4')
    await page.getByLabel('Filter headers').waitFor()
    await page.keyboard.press('Escape')
    await holds(async () => /Newest/.test(String(await focused())))
    await page.keyboard.press('/')
    await page.keyboard.type('old')
    await page.locator('.message-row', { hasText: /Newest/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await holds(async () => /Oldest/.test(String(await focused())))
    // A browser empties such a field by itself.
    assert.equal(await page.getByLabel('Search this inbox').inputValue(), 'old')
    assert.match(page.url(), /q=old$/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.message-row', { hasText: /Oldest/ }).focus()
    await page.keyboard.press('u')
    await page.locator('.inbox-row.unread').waitFor({ state: 'detached' })
    await page.keyboard.press('#')
    await page.getByText('Message deleted').waitFor()
    assert.deepEqual(window.problems, [])
  })
})

/** Waits until something is so. */
async function holds(ask: () => Promise<boolean>): Promise<void> {
  await until(async () => ((await ask()) ? true : null))
}

async function createInbox(account: TestAccount, localPart?: string) {
  return (await account.post('/v1/inboxes', { localPart })).body.inbox
}

async function messagesOf(account: TestAccount, inboxId: string): Promise<readonly unknown[]> {
  return (await account.get(`/v1/inboxes/${inboxId}/messages`)).body.messages
}

async function runScenario(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New scenario' }).click()
  await page.getByLabel('Name').fill('Sign-up')
  await page.getByRole('button', { name: 'Add a check' }).click()
  await page.getByLabel('Text').fill('Welcome')
  await page.getByRole('button', { name: 'Save scenario' }).click()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('failed', { exact: true }).waitFor()
  await page.getByText('Passed: otpPresent').waitFor()
  await page.getByText('Failed: containsText').waitFor()
}
