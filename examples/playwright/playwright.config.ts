import type { MayflyOptions } from '@mayfly/client/playwright'
import { defineConfig } from '@playwright/test'

export default defineConfig<MayflyOptions>({
  testMatch: '*.spec.ts',
  timeout: Number(process.env['TEST_TIMEOUT_MS'] ?? 30_000),
  outputDir: '../../.cache/playwright',
  reporter: 'list',
  use: {
    baseURL: process.env['APP_URL'] ?? 'http://127.0.0.1:3000',
    mayflyOptions: { timeoutSeconds: Number(process.env['WAIT_SECONDS'] ?? 20) },
    // The system's own Chromium; leave this out where Playwright has installed browsers.
    launchOptions: { executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium' },
  },
})
