import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../server/test/testing-browser.ts'
import { openWindow } from './testing-dashboard.ts'
import { type Demo, startDemo } from './testing-demo.ts'
import { DEMO_PAGES, showDemoPage } from './testing-demo-pages.ts'

const LOOKS = [360, 768, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

/** In `npm test` each page in one look, and each look on some pages; in `npm run soak` all. */
const pagesOf = (look: number) =>
  process.env['SOAK'] === undefined
    ? DEMO_PAGES.filter((_, index) => index % LOOKS.length === look)
    : DEMO_PAGES

/** What axe found, as text: the rule and where. */
const RUN_AXE = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    id + ' at ' + target.join(' ') + ': ' + failureSummary)))`

describe('the dashboard by axe', () => {
  let browser: Browser
  let demo: Demo

  before(async () => {
    browser = await launchBrowser()
    demo = await startDemo()
  })
  after(async () => {
    await browser.close()
    await demo[Symbol.asyncDispose]()
  })

  for (const [look, { width, colorScheme }] of LOOKS.entries()) {
    it(`has no violation at ${width} pixels in ${colorScheme}`, async () => {
      const found: string[] = []
      const options = {
        viewport: { width, height: 800 },
        colorScheme,
        reducedMotion: 'reduce',
        // The program of axe is not the page's own.
        bypassCSP: true,
      } as const
      for (const apiKey of [null, demo.account.key]) {
        const pages = pagesOf(look).filter((shown) => (shown.isSignedOut === true) === !apiKey)
        if (pages.length === 0) continue
        await using window = await openWindow(browser, { ...options, apiKey })
        await window.context.addInitScript(axe.source)
        for (const shown of pages) {
          await showDemoPage(window.page, demo, shown)
          const violations = await window.page.evaluate(RUN_AXE)
          assert.ok(Array.isArray(violations))
          found.push(...violations.map((violation) => `${shown.name}: ${violation}`))
          await shown.after?.(window.page)
        }
      }
      assert.deepEqual(found, [])
    })
  }
})
