import { setTimeout } from 'node:timers/promises'
import { test } from '../../src/testing/vitest.ts'

test('begins to wait late', { timeout: 6_000 }, async ({ inbox }) => {
  await setTimeout(3_000)
  await inbox.waitForOtp()
})
