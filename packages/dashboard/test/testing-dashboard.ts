import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A window of the dashboard. */
export type DashboardWindow = AsyncDisposable & {
  readonly context: BrowserContext
  readonly page: Page
  /** What the page threw or logged as an error. */
  readonly problems: readonly string[]
}

/** Which window is opened. */
export type WindowOptions = BrowserContextOptions & {
  readonly url: string
  readonly apiKey: string | null
}

const DIST = join(import.meta.dirname, '..', 'dist')
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

/** Where nothing is slow a step takes milliseconds; a machine under load gets the rest. */
const STEP_MS_MAX = 15_000

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Opens a window, signed in with a key where one is given. */
export async function openWindow(
  browser: Browser,
  options: WindowOptions,
): Promise<DashboardWindow> {
  const { url, apiKey, ...window } = options
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...window,
  })
  context.setDefaultTimeout(STEP_MS_MAX)
  await serveDist(context, url)
  const problems: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  if (apiKey !== null) {
    // As text: it runs in the page, and in its frames, which have no storage.
    const keep = `if (window === top) sessionStorage.setItem('mayfly.key', ${JSON.stringify(apiKey)})`
    await page.addInitScript(keep)
  }
  return { context, page, problems, [Symbol.asyncDispose]: () => context.close() }
}

async function serveDist(context: BrowserContext, url: string): Promise<void> {
  await context.route(`${url}/`, async (route) =>
    route.fulfill({
      headers: {
        'content-type': 'text/html',
        'content-security-policy': CONTENT_SECURITY_POLICY,
      },
      body: await readFile(join(DIST, 'index.html')),
    }),
  )
  await context.route(`${url}/app/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/app/', '')
    await route.fulfill({
      headers: { 'content-type': TYPES[extname(path)] ?? '' },
      body: await readFile(join(DIST, path)),
    })
  })
}
