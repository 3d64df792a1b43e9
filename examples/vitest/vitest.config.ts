import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    // Mail takes its time: waits last two thirds of this unless a test says otherwise.
    testTimeout: 15_000,
  },
})
