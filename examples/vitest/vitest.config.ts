import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    // Mail takes its time: waits last two thirds of this unless a test says otherwise.
    testTimeout: Number(process.env['TEST_TIMEOUT_MS'] ?? 15_000),
  },
})
