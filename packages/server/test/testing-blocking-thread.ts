// A follow-up thread for tests: it answers checks, except of mails that block or crash it.

import type { FollowUpCalls } from '../src/threads/follow-up-host.ts'
import { serveThread } from '../src/threads/thread-protocol.ts'

const nothing = async () => {}

const calls: FollowUpCalls = {
  check: async (mailId) => {
    if (mailId === 'crash') process.exit()
    // As an endless loop, but without the processor time.
    if (mailId === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (mailId === 'silent') return new Promise(() => {})
    return null
  },
  stored: nothing,
  // It is too busy.
  ping: () => new Promise(() => {}),
  recorded: nothing,
}

void serveThread(async () => ({ calls, stop: nothing }))
