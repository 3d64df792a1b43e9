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
  readonly apiKey: string | null
}

/** Where nothing is slow a step takes milliseconds; a machine under load gets the rest. */
const STEP_MS_MAX = 60_000

/** Opens a window, signed in with a key where one is given. */
export async function openWindow(
  browser: Browser,
  options: WindowOptions,
): Promise<DashboardWindow> {
  const { apiKey, ...window } = options
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...window,
  })
  context.setDefaultTimeout(STEP_MS_MAX)
  const problems: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  if (apiKey !== null) {
    // As text: it runs in the page, and in its frames, which have no storage.
    const keep = `if (window === top) sessionStorage['mayfly.key'] ??= ${JSON.stringify(apiKey)}`
    await page.addInitScript(keep)
  }
  return { context, page, problems, [Symbol.asyncDispose]: () => context.close() }
}
