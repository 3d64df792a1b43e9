import { expect as baseExpect, test as baseTest } from '@playwright/test'
import { type Client, type ClientOptions, createClient } from '../client.ts'
import type { Inbox } from '../inbox.ts'
import { type InboxExpect, matchers } from './matchers.ts'
import { attachMail } from './playwright-report.ts'
import { waitSecondsWithin } from './wait-time.ts'

/** Fixtures of a test. */
export type MayflyFixtures = {
  /** The client. */
  readonly mayfly: Client
  /** A new inbox for the test, deleted afterwards. When the test fails, its mail is attached. */
  readonly inbox: Inbox
}

/** Options for `use` in the configuration. */
export type MayflyOptions = {
  /** Options of the client; by default key and base URL come from the environment. */
  readonly mayflyOptions: ClientOptions
}

/** Playwright's `test` with the fixtures `mayfly` and `inbox`. */
export const test = baseTest.extend<MayflyFixtures & MayflyOptions>({
  mayflyOptions: [{}, { option: true }],

  mayfly: async ({ mayflyOptions }, use, { timeout }) => {
    const timeoutSeconds = waitSecondsWithin(timeout)
    await use(createClient({ timeoutSeconds, ...mayflyOptions }))
  },

  inbox: async ({ mayfly, playwright, browserName, launchOptions }, use, testInfo) => {
    const inbox = await mayfly.inboxes.create()
    await use(inbox)
    if (testInfo.status !== testInfo.expectedStatus) {
      await attachMail(testInfo, inbox, () => playwright[browserName].launch(launchOptions))
    }
    await inbox[Symbol.asyncDispose]()
  },
})

baseExpect.extend(matchers)

/** Playwright's `expect` with `toReceiveEmail` and `toReceiveOtp`. */
export const expect = baseExpect as InboxExpect<typeof baseExpect> // Extended above.
