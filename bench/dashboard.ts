// How fast the dashboard shows mail, in Chromium, on a service of its own.
//
//   node bench/dashboard.ts
//
// Times suffer from other work on the machine. So two things stand beside them: the processor time
// of the page's main thread, and the time that a page of one line takes, which has no script and
// comes from a bare HTTP server. The browser runs, and the renderer of a window has shown a page of
// the same origin before: what counts is the page, with an empty cache, not the start of a process.
// An inbox holds 1,000 messages: the list of 10,000 is made up here, page by page, and the 500
// mails a second go to an open project inbox, which drops its oldest for them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type DashboardWindow, openWindow } from '../packages/dashboard/test/testing-dashboard.ts'
import { registerAccountAt } from '../packages/server/test/testing-account.ts'
import { launchBrowser } from '../packages/server/test/testing-browser.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'
import { KeptSmtp } from './load/kept-smtp.ts'
import { quantiles } from './load/quantiles.ts'

const SAMPLES = 20
const LONG_LIST = 10_000
const SCROLL_MS = 5_000
const BURST = { perSecond: 500, seconds: 10, keepMessages: 1_000 }
const PACED_MAILS = join(import.meta.dirname, 'load', 'paced-mails.ts')

const CONTROL_PAGE =
  '<!doctype html><title>Control</title><p class="message-row" data-row="1">Row</p>'

/** Notes in the page when the first row is painted, and when each new one is. */
const OBSERVER = `
  window.painted = []
  let lastRow = null
  const look = () => {
    const row = document.querySelector('.message-row')?.dataset.row ?? null
    if (row !== null && row !== lastRow) painted.push(performance.timeOrigin + performance.now())
    lastRow = row ?? lastRow
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-'))
await using server = startServerProcess({
  MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  MAYFLY_LOG_LEVEL: 'info',
})
const { httpUrl, smtpPort } = await server.ready
const account = await registerAccountAt(httpUrl, 'bench@example.com')
const browser = await launchBrowser()
try {
  await firstList()
  await visibleAfterAccepted()
  await longList()
  await burst()
} finally {
  await browser.close()
}
server.child.kill('SIGTERM')
await server.ended
rmSync(folder, { recursive: true, force: true })

async function open(inboxId: string, prepare?: (page: Page) => Promise<void>) {
  return openAt({ origin: httpUrl, started: '/healthz', path: `/#/inboxes/${inboxId}` }, prepare)
}

/** Opens a window at `path`, in a renderer that has shown `started`. */
async function openAt(
  { origin, started, path }: Readonly<Record<'origin' | 'started' | 'path', string>>,
  prepare?: (page: Page) => Promise<void>,
) {
  const window = await openWindow(browser, { apiKey: account.key })
  await window.page.goto(origin + started)
  await window.page.addInitScript(OBSERVER)
  await prepare?.(window.page)
  const meter = await meterProcessor(window)
  const before = await meter()
  await window.page.goto(origin + path)
  const processorMs = async () => (await meter()) - before
  return { ...window, processorMs, [Symbol.asyncDispose]: () => window.context.close() }
}

/** Waits until more than so many first rows were painted. A function: text would be evaluated. */
async function rowsPainted(page: Page, count: number): Promise<void> {
  await page.waitForFunction((seen) => Reflect.get(globalThis, 'painted').length > seen, count)
}

/** How long the page's main thread has worked so far. */
async function meterProcessor({ context, page }: DashboardWindow): Promise<() => Promise<number>> {
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
}

/** The longest task of the page's main thread while `work` runs, in processor time. */
async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const categories = ['disabled-by-default-devtools.timeline', '__metadata']
  await browser.startTracing(page, { categories })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString())
  type Event = { name: string; tid: number; pid: number; tdur?: number; args: { name?: string } }
  // The form of Chromium's traces; what is missing counts as no time.
  const events = trace.traceEvents as Event[]
  const threadOf = ({ pid, tid }: Event) => `${pid} ${tid}`
  const main = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = events.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000
}

/** From the navigation to the frame with the first row; the files come from the service. */
async function firstList(): Promise<void> {
  const { id, emailAddress } = await account.inboxes.create()
  const smtp = await KeptSmtp.open(smtpPort)
  for (let i = 0; i < 50; i++) await smtp.send(emailAddress)
  smtp.close()
  const control = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(CONTROL_PAGE)
  }).listen(0, '127.0.0.1')
  await once(control, 'listening')
  // An AddressInfo, because the server listens on a port.
  const origin = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
  const times: Record<'list' | 'processor' | 'control', number[]> = {
    list: [],
    processor: [],
    control: [],
  }
  // In turns: both meet the same load of the machine.
  for (let i = 0; i < SAMPLES; i++) {
    await using window = await open(id)
    times.list.push(await firstPaintMs(window.page))
    times.processor.push(await window.processorMs())
    await using bare = await openAt({ origin, started: '/started', path: '/' })
    times.control.push(await firstPaintMs(bare.page))
  }
  control.close()
  report('first list painted', times.list, 300)
  report('first list painted, processor time', times.processor, 300)
  report('a page of one line painted', times.control)
}

async function firstPaintMs(page: Page): Promise<number> {
  await rowsPainted(page, 0)
  return Number(await page.evaluate('painted[0] - performance.timeOrigin'))
}

/** From the reply 250 to the frame with the row. */
async function visibleAfterAccepted(): Promise<void> {
  const { id, emailAddress } = await account.inboxes.create()
  const smtp = await KeptSmtp.open(smtpPort)
  await smtp.send(emailAddress)
  await using window = await open(id)
  await window.page.getByTitle('Live', { exact: true }).waitFor()
  const times: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const seen = Number(await window.page.evaluate('painted.length'))
    await smtp.send(emailAddress)
    const acceptedAt = performance.timeOrigin + performance.now()
    await rowsPainted(window.page, seen)
    times.push(Number(await window.page.evaluate('painted.at(-1)')) - acceptedAt)
  }
  smtp.close()
  report('mail visible after 250', times, 100)
}

async function longList(): Promise<void> {
  const { id } = await account.inboxes.create()
  await using window = await open(id, (page) => serveLongList(page, id))
  await window.page.locator('.message-row').first().waitFor()
  const before = await window.processorMs()
  const result = await window.page.evaluate(`(async () => {
    const list = document.querySelector('.virtual')
    const startedAt = performance.now()
    let frames = 0
    let rowsMax = 0
    while (performance.now() - startedAt < ${SCROLL_MS}) {
      frames += 1
      list.scrollTop += 400
      rowsMax = Math.max(rowsMax, document.querySelectorAll('.message-row').length)
      await new Promise(requestAnimationFrame)
    }
    const seconds = (performance.now() - startedAt) / 1000
    return [frames, frames / seconds, rowsMax, list.scrollTop]
  })()`)
  if (!Array.isArray(result)) throw new Error('the page did not answer')
  const [frames = 0, framesPerSecond = 0, rowsMax = 0, scrolledPx = 0] = result.map(Number)
  const frameMs = ((await window.processorMs()) - before) / frames
  console.log(
    `${LONG_LIST} messages, ${scrolledPx} px scrolled: ${framesPerSecond.toFixed(0)} frames/s, ` +
      `${frameMs.toFixed(1)} ms of processor time a frame, ${rowsMax} rows (goal: 60, 16.7, 60)`,
  )
}

async function serveLongList(page: Page, inboxId: string): Promise<void> {
  await page.route(`**/v1/inboxes/${inboxId}/messages?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams
    const start = Number(query.get('cursor') ?? 0)
    const end = Math.min(LONG_LIST, start + Number(query.get('limit')))
    const messages = Array.from({ length: end - start }, (_, index) => madeUp(start + index))
    await route.fulfill({ json: { messages, nextCursor: end < LONG_LIST ? String(end) : null } })
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

async function burst(): Promise<void> {
  const { keepMessages } = BURST
  const { id, emailAddress } = await account.inboxes.create({ catchAll: true, keepMessages })
  await using window = await open(id)
  await window.page.getByTitle('Live', { exact: true }).waitFor()
  const args = [PACED_MAILS, smtpPort, BURST.perSecond, BURST.seconds].map(String)
  const longest = await longestTaskMs(window.page, async () => {
    const sender = spawn(process.execPath, [...args, emailAddress], { stdio: 'inherit' })
    await once(sender, 'close')
  })
  console.log(
    `${BURST.perSecond} mails/s for ${BURST.seconds} s: longest task ${longest.toFixed(0)} ms of processor time (goal 200)`,
  )
}

function report(name: string, times: readonly number[], goalMs: number | null = null): void {
  const { p50, max } = quantiles(times)
  const goal = goalMs === null ? '' : ` (goal ${goalMs})`
  console.log(
    `${name}: least ${Math.min(...times).toFixed(0)} ms, p50 ${p50.toFixed(0)} ms, max ${max.toFixed(0)} ms${goal}`,
  )
}
