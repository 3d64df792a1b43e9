import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    // The default timeout of waits is two thirds of this.
    testTimeout: Number(process.env['TEST_TIMEOUT_MS'] ?? 15_000),
  },
})
