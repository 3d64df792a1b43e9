import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    // The default timeout of a wait is what is left of this, less a second.
    testTimeout: Number(process.env['TEST_TIMEOUT_MS'] ?? 15_000),
  },
})
