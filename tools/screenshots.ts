// Takes a picture of every page of the dashboard, at two widths, in light and in dark.
//
//   npm run screenshots -- FOLDER [part of a name]

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openWindow } from '../packages/dashboard/test/testing-dashboard.ts'
import { startDemo } from '../packages/dashboard/test/testing-demo.ts'
import { DEMO_PAGES, showDemoPage } from '../packages/dashboard/test/testing-demo-pages.ts'
import { launchBrowser } from '../packages/server/test/testing-browser.ts'

const VIEWPORTS = [
  { width: 360, height: 740 },
  { width: 1440, height: 900 },
]

/** A month of use, so that the chart has something to show. */
const USED_DAYS = 30

const [folder, only = ''] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: npm run screenshots -- FOLDER [part of a name]')
  process.exit(2)
}
await mkdir(folder, { recursive: true })
await using demo = await startDemo(USED_DAYS)
const browser = await launchBrowser()
try {
  for (const viewport of VIEWPORTS) {
    for (const theme of ['light', 'dark']) {
      for (const shown of DEMO_PAGES.filter(({ name }) => name.includes(only))) {
        await using window = await openWindow(browser, {
          apiKey: shown.isSignedOut === true ? null : demo.account.key,
          viewport,
          // Not emulated: that would hold for the mail in its frame, too.
          colorScheme: null,
          reducedMotion: 'reduce',
        })
        const { page, problems } = window
        await page.addInitScript(themeScript(theme))
        const path = join(folder, `${shown.name}-${viewport.width}-${theme}.png`)
        await showDemoPage(page, demo, shown)
        await page.screenshot({ path })
        await shown.after?.(page)
        for (const problem of problems) console.error(`${path}: ${problem}`)
      }
    }
  }
} finally {
  await browser.close()
}

/** Chooses the colours as a reader does in the settings; a frame has no storage. */
function themeScript(theme: string): string {
  const preferences = JSON.stringify(JSON.stringify({ theme }))
  return `if (window === top) localStorage.setItem('mayfly.preferences', ${preferences})`
}
