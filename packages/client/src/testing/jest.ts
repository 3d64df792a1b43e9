import { afterEach, expect as baseExpect, beforeEach } from '@jest/globals'
import { type Client, createClient } from '../client.ts'
import type { Inbox } from '../inbox.ts'
import { mailSnapshotSerializer } from './mask.ts'
import { type InboxExpect, matchers } from './matchers.ts'

baseExpect.extend(matchers)
baseExpect.addSnapshotSerializer(mailSnapshotSerializer)

/** Jest's `expect` with `toReceiveEmail` and `toReceiveOtp`; mail in snapshots is masked. */
export const expect: InboxExpect<typeof baseExpect> = baseExpect as InboxExpect<typeof baseExpect> // Extended above.

/**
 * Gives each test of the file or block an inbox of its own and deletes it after. Call the answer
 * inside a test to get it.
 */
export function useInbox(client: () => Client = createClient): () => Inbox {
  let current: Inbox | null = null
  beforeEach(async () => {
    current = await client().inboxes.create()
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
