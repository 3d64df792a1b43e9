import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: 'late-playwright.spec.ts',
  timeout: 6_000,
  reporter: 'line',
})
