// Whether the dashboard's list of 20,000 messages scrolls without a dropped frame, in Chromium;
// against the frames of an empty page in the same browser.
//
//   node bench/dashboard.ts [--seconds=5]
//
// An inbox holds 1,000 messages, so the list is made up here, page by page.

import type { Page } from 'playwright-core'
import { openWindow } from '../packages/dashboard/test/testing-dashboard.ts'
import { launchBrowser } from '../packages/server/test/testing-browser.ts'
import { option, printFigure, watchMachine } from './load/report.ts'
import { createInboxes, startService } from './load/service.ts'

const MESSAGES = 20_000
const SECONDS = option('seconds', 5)

/** Frames a second while each scrolls the list, if there is one, and the rows in the document. */
const SCROLL = `(async () => {
  const startedAt = performance.now()
  let frames = 0
  let rows = 0
  while (performance.now() - startedAt < ${SECONDS * 1000}) {
    frames += 1
    const list = document.querySelector('.virtual')
    if (list !== null) list.scrollTop += 400
    rows = Math.max(rows, document.querySelectorAll('.message-row').length)
    await new Promise(requestAnimationFrame)
  }
  return [(1000 * frames) / (performance.now() - startedAt), rows]
})()`

using _machine = watchMachine()
await using service = await startService()
const [inbox] = await createInboxes(service, 1)
const browser = await launchBrowser()
try {
  await using window = await openWindow(browser, { apiKey: service.apiKey })
  const { page } = window
  await page.goto(`${service.httpUrl}/livez`)
  const [empty = 0] = await scroll(page)
  await serveList(page, inbox?.id ?? '')
  await page.goto(`${service.httpUrl}/#/inboxes/${inbox?.id}`)
  await page.locator('.message-row').first().waitFor()
  const [frames = 0, rows = 0] = await scroll(page)
  console.log(`${frames.toFixed(0)} frames/s, of an empty page ${empty.toFixed(0)}/s; ${rows} rows`)
  printFigure('frames of the list against those of an empty page', frames / empty, {
    atLeast: 0.98,
  })
} finally {
  await browser.close()
}

async function scroll(page: Page): Promise<readonly number[]> {
  const result = await page.evaluate(SCROLL)
  if (!Array.isArray(result)) throw new Error('The page did not answer.')
  return result.map(Number)
}

async function serveList(page: Page, inboxId: string): Promise<void> {
  await page.route(`**/v1/inboxes/${inboxId}/messages?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams
    const start = Number(query.get('cursor') ?? 0)
    const end = Math.min(MESSAGES, start + Number(query.get('limit')))
    const messages = Array.from({ length: end - start }, (_, index) => madeUp(start + index))
    await route.fulfill({ json: { messages, nextCursor: end < MESSAGES ? String(end) : null } })
  })
}

function madeUp(index: number) {
  return {
    id: `msg_${index}`,
    from: { name: `Sender ${index}`, address: `sender${index}@example.com` },
    recipient: 'list@mayfly.test',
    subject: `Message number ${index}`,
    preview: 'A line of text that is long enough to be cut off at the edge of its row.',
    receivedAt: new Date(Date.now() - index * 1000).toISOString(),
    hasAttachments: index % 5 === 0,
    hasOtp: index % 3 === 0,
    read: index % 2 === 0,
  }
}
