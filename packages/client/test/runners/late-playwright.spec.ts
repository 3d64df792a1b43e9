import { setTimeout } from 'node:timers/promises'
import { expect, test } from '../../src/testing/playwright.ts'

test.beforeEach(async () => {
  await setTimeout(3_000)
})

test('begins to wait late', async ({ inbox }) => {
  await inbox.waitForOtp()
})

test('waits for longer than it may take', async ({ inbox }) => {
  await expect(inbox).toReceiveOtp({ timeoutSeconds: 20 })
})
