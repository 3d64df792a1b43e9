import { afterEach, expect as baseExpect, beforeEach } from '@jest/globals'
import { type ClientOptions, checkClientOptions, createClient } from '../client.ts'
import { MayflyError, pointingHere } from '../errors.ts'
import type { Inbox } from '../inbox.ts'
import { mailSnapshotSerializer } from './mask.ts'
import { type InboxExpect, matchers } from './matchers.ts'

baseExpect.extend(matchers)
baseExpect.addSnapshotSerializer(mailSnapshotSerializer)

/** Jest's `expect` with `toReceiveEmail` and `toReceiveOtp`; mail in snapshots is masked. */
export const expect = baseExpect as InboxExpect<typeof baseExpect> // Extended above.

/** Below Jest's default timeout of 5 seconds, so that the error of the wait is reported. */
const WAIT_SECONDS = 4

/**
 * Creates an inbox for each test of the file or block and deletes it afterwards. Call the returned
 * function inside a test to get it. The default timeout of waits is 4 seconds, because Jest does
 * not expose the timeout of a test.
 */
export function useInbox(options: ClientOptions = {}): () => Inbox {
  checkClientOptions(options)
  let current: Inbox | null = null
  const create = pointingHere(async () => {
    current = await createClient({ timeoutSeconds: WAIT_SECONDS, ...options }).inboxes.create()
  })
  // A function without parameters: Jest hands a callback to others.
  beforeEach(() => create())
  afterEach(async () => {
    await current?.[Symbol.asyncDispose]()
    current = null
  })
  return () => {
    if (current === null) throw new MayflyError('The inbox exists only while a test runs.')
    return current
  }
}
