import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  ViewportSize,
} from 'playwright-core'

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

/** How a window looks that tests use one after the other. */
export type WindowLook = {
  readonly viewport?: ViewportSize
  /** Null leaves it to the page. */
  readonly colorScheme?: 'light' | null
}

/** Where nothing is slow a step takes milliseconds; a machine under load gets the rest. */
const STEP_MS_MAX = 60_000

const DESKTOP: ViewportSize = { width: 1280, height: 720 }

/** The window of each browser that no test uses at the moment. */
const idle = new WeakMap<Browser, Page>()

/** Opens a window, signed in with a key where one is given. */
export async function openWindow(
  browser: Browser,
  options: WindowOptions,
): Promise<DashboardWindow> {
  const { apiKey, ...window } = options
  const page = await openPage(browser, window)
  const problems = problemsOf(page)
  if (apiKey !== null) {
    // As text: it runs in the page, and in its frames, which have no storage.
    const keep = `if (window === top) sessionStorage['mayfly.key'] ??= ${JSON.stringify(apiKey)}`
    await page.addInitScript(keep)
  }
  const context = page.context()
  return { context, page, problems, [Symbol.asyncDispose]: () => context.close() }
}

/**
 * A window with empty storage, signed in with a key where one is given. The tests of a file use one
 * after the other, because to open it takes as much processor time as a short test. All must be of
 * the same service.
 */
export async function borrowWindow(
  browser: Browser,
  options: WindowLook & { readonly apiKey: string | null; readonly httpUrl: string },
): Promise<DashboardWindow> {
  const { apiKey, httpUrl, viewport = DESKTOP, colorScheme = 'light' } = options
  const page = idle.get(browser) ?? (await openPage(browser))
  idle.delete(browser)
  const context = page.context()
  // A document of the same origin: the dashboard that was shown before has ended, and does not
  // change what is stored now.
  await page.goto(`${httpUrl}/livez`)
  const signIn = apiKey === null ? '' : `sessionStorage['mayfly.key'] = ${JSON.stringify(apiKey)}`
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await page.evaluate(`localStorage.clear(); sessionStorage.clear(); ${signIn}`)
  return {
    context,
    page,
    problems: problemsOf(page),
    [Symbol.asyncDispose]: async () => {
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      page.removeAllListeners()
      for (const tab of context.pages().filter((other) => other !== page)) await tab.close()
      if (idle.has(browser)) await context.close()
      else idle.set(browser, page)
    },
  }
}

async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  context.setDefaultTimeout(STEP_MS_MAX)
  return await context.newPage()
}

function problemsOf(page: Page): readonly string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return problems
}
