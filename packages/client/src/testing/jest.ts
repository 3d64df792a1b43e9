import { afterEach, expect as baseExpect, beforeEach } from '@jest/globals'
import { type ClientOptions, createClient } from '../client.ts'
import type { Inbox } from '../inbox.ts'
import { mailSnapshotSerializer } from './mask.ts'
import { type InboxExpect, matchers } from './matchers.ts'

baseExpect.extend(matchers)
baseExpect.addSnapshotSerializer(mailSnapshotSerializer)

/** Jest's `expect` with `toReceiveEmail` and `toReceiveOtp`; mail in snapshots is masked. */
export const expect = baseExpect as InboxExpect<typeof baseExpect> // Extended above.

/** Below the 5 seconds that Jest gives a test by default, so that the wait's own error is seen. */
const WAIT_SECONDS = 4

/**
 * Gives each test of the file or block an inbox of its own and deletes it after. Call the answer
 * inside a test to get it. Waits last 4 seconds unless `timeoutSeconds` says otherwise: Jest does
 * not tell how long a test may take.
 */
export function useInbox(options: ClientOptions = {}): () => Inbox {
  let current: Inbox | null = null
  beforeEach(async () => {
    current = await createClient({ timeoutSeconds: WAIT_SECONDS, ...options }).inboxes.create()
  })
  afterEach(async () => {
    await current?.[Symbol.asyncDispose]()
    current = null
  })
  return () => {
    if (current === null) throw new Error('The inbox is there only while a test runs.')
    return current
  }
}
