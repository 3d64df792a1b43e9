import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { sharedService } from '../../server/test/testing-start-service.ts'
import { borrowWindow } from './testing-dashboard.ts'

/** Right-to-left override: what follows reads "txt.exe" where "exe.txt" is written. */
const TURN = '\u202E'
const HEBREW = 'שלום'

const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`

/** A mail that turns text in all that a sender writes. */
function turningMail(to: string): string {
  const html = `<p>${HEBREW}${TURN}</p><a href="https://x.example/a">Pay${TURN}here</a>`
  return [
    `From: ${encoded(`${HEBREW} ${TURN}Bank`)} <bank@x.example>`,
    `To: ${encoded(HEBREW)} <${to}>, ${encoded(`${TURN}Ann`)} <ann@a.example>`,
    `X-Turned: ${encoded(`a${TURN}b`)}`,
    `Subject: ${encoded(`${HEBREW} ${TURN}exe.txt`)}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b\r\nContent-Type: text/html; charset=utf-8\r\n',
    html,
    `--b\r\nContent-Type: text/plain; name="${encoded(`a${TURN}fdp.exe`)}"`,
    'Content-Disposition: attachment\r\n\r\nx',
    '--b--\r\n',
  ].join('\r\n')
}

/** The words in the order in which an element shows them, from left to right. */
const ORDER = `(selector, words) => {
  const element = document.querySelector(selector)
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const places = {}
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const word of words) {
      const at = node.data.indexOf(word)
      if (at < 0 || word in places) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      places[word] = range.getBoundingClientRect().left
    }
  return Object.keys(places).sort((a, b) => places[a] - places[b]).join(' ')
}`

describe('text in other directions in the dashboard', () => {
  const shared = sharedService()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  async function order(page: Page, selector: string, ...words: string[]): Promise<string[]> {
    const asked = `(${ORDER})(${JSON.stringify(selector)}, ${JSON.stringify(words)})`
    return String(await page.evaluate(asked)).split(' ')
  }

  it('turns no text around it, and its controls are seen', async () => {
    const service = await shared()
    const account = await service.register()
    const inbox = await account.inboxes.create()
    const raw = turningMail(inbox.emailAddress)
    await service.sendMail({ to: inbox.emailAddress, raw })
    const { id } = await inbox.waitForMessage()
    const { httpUrl } = service
    await using window = await borrowWindow(browser, { apiKey: account.key, httpUrl })
    const { page } = window
    await page.goto(`${httpUrl}/#/inboxes/${inbox.id}/messages/${id}/preview`)
    await page.getByRole('heading', { name: 'exe.txt' }).waitFor()
    const people = await order(
      page,
      '.envelope > div:nth-child(2) dd',
      HEBREW,
      'Ann',
      'ann@a.example',
    )
    assert.deepEqual(people, [HEBREW, 'Ann', 'ann@a.example'])
    for (const [tab, seen] of [
      ['Text', `${HEBREW}[U+202E]`],
      ['Code and links', 'Pay[U+202E]here'],
      ['Headers', 'a[U+202E]b'],
      ['Source', 'Pay[U+202E]here'],
      ['Delivery', `${HEBREW} [U+202E]exe.txt`],
      ['Attachments', 'a[U+202E]fdp.exe'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('tabpanel').getByText(seen).first().waitFor()
      const text = String(await page.evaluate('document.body.textContent'))
      assert.doesNotMatch(text, /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, tab)
    }
    await page.goto(`${httpUrl}/#/inboxes/${inbox.id}/details`)
    await page.getByText('Message stored').waitFor()
    // The subject runs from right to left by itself; what comes after it does not.
    const stored = await order(page, '.timeline .good', HEBREW, 'exe.txt', 'bytes')
    assert.deepEqual(stored, ['exe.txt', HEBREW, 'bytes'])
  })
})
