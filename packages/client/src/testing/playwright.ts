import { expect as baseExpect, test as baseTest, type TestInfo } from '@playwright/test'
import { type Client, type ClientOptions, clientOf, requesterOf } from '../client.ts'
import { MayflyError } from '../errors.ts'
import type { Inbox, StartWait } from '../inbox.ts'
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

/** The test that runs, as the fixtures see it. */
type TestRun = {
  readonly startWait: StartWait
  /** Ends the open waits. */
  end(): void
}

/** Playwright's `test` with the fixtures `mayfly` and `inbox`. */
export const test = baseTest.extend<
  MayflyFixtures & MayflyOptions & { readonly mayflyTestRun: TestRun }
>({
  mayflyOptions: [{}, { option: true }],

  // Automatic: set up before the hooks and the other fixtures, whose time counts as well.
  mayflyTestRun: [
    async ({ mayflyOptions }, use, testInfo) => use(testRun(mayflyOptions, testInfo)),
    { auto: true },
  ],

  mayfly: async ({ mayflyOptions, mayflyTestRun: { startWait, end } }, use) => {
    await use(clientOf(requesterOf(mayflyOptions), startWait))
    end()
  },

  inbox: async (
    { mayfly, mayflyTestRun, playwright, browserName, launchOptions },
    use,
    testInfo,
  ) => {
    const inbox = await mayfly.inboxes.create()
    await use(inbox)
    // Before the inbox is deleted: otherwise an open wait reports that there is no inbox.
    mayflyTestRun.end()
    if (testInfo.status !== testInfo.expectedStatus) {
      await attachMail(testInfo, inbox, () => playwright[browserName].launch(launchOptions))
    }
    await inbox[Symbol.asyncDispose]()
  },
})

/** The test that begins now. */
function testRun({ timeoutSeconds: givenSeconds }: ClientOptions, testInfo: TestInfo): TestRun {
  const startedAtMs = performance.now()
  const ended = new AbortController()
  return {
    end: () => ended.abort(),
    startWait: async (options, wait) => {
      // The timeout of the test as it is when the wait begins: `test.setTimeout` may change it.
      const waitSeconds = () => waitSecondsWithin({ timeoutMs: testInfo.timeout, startedAtMs })
      const timeoutSeconds = options.timeoutSeconds ?? givenSeconds ?? waitSeconds()
      const signal = AbortSignal.any([options.signal ?? ended.signal, ended.signal])
      try {
        return await wait({ timeoutSeconds, signal })
      } catch (error) {
        throw ended.signal.aborted ? new MayflyError(TEST_ENDED) : error
      }
    },
  }
}

const TEST_ENDED =
  'The test ended during this wait: no matching mail had arrived. Give the test more time (test.setTimeout) or the wait less (timeoutSeconds); without timeoutSeconds, a wait ends before its test.'

baseExpect.extend(matchers)

/** Playwright's `expect` with `toReceiveEmail` and `toReceiveOtp`. */
export const expect = baseExpect as InboxExpect<typeof baseExpect> // Extended above.
