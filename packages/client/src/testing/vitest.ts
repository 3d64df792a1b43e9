import { expect as baseExpect, test as baseTest } from 'vitest'
import { type Client, clientOf, requesterOf } from '../client.ts'
import type { Inbox } from '../inbox.ts'
import { mailSnapshotSerializer } from './mask.ts'
import { type InboxExpect, matchers } from './matchers.ts'
import { waitSecondsWithin } from './wait-time.ts'

baseExpect.extend(matchers)
baseExpect.addSnapshotSerializer(mailSnapshotSerializer)

/** Vitest's `expect` with `toReceiveEmail` and `toReceiveOtp`; mail in snapshots is masked. */
export const expect = baseExpect as InboxExpect<typeof baseExpect> // Extended above.

/** Fixtures of a test. */
export type MayflyFixtures = {
  /** The client, with the key from the environment; override it to use other options. */
  readonly mayfly: Client
  /** A new inbox for the test, deleted afterwards. */
  readonly inbox: Inbox
}

/** Vitest's `test` with the fixtures `mayfly` and `inbox`. */
export const test = baseTest.extend<MayflyFixtures>({
  mayfly: async ({ task }, use) => {
    // Vitest sets fixtures up within the time of the test, and those of a base test first.
    const startedAtMs = performance.now()
    const waitSeconds = () => waitSecondsWithin({ timeoutMs: task.timeout, startedAtMs })
    const client = clientOf(requesterOf({}), ({ timeoutSeconds = waitSeconds(), signal }, wait) =>
      wait({ timeoutSeconds, signal }),
    )
    await use(client)
  },
  inbox: async ({ mayfly }, use) => {
    const inbox = await mayfly.inboxes.create()
    await use(inbox)
    await inbox[Symbol.asyncDispose]()
  },
})
