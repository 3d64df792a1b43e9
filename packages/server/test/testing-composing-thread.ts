// A composing thread for tests of its host: a mail does what its bytes say.

import type { ReceivedMail } from '../src/receiving/received-mail.ts'
import { serveThread } from '../src/threads/thread-protocol.ts'

void serveThread(async () => ({
  calls: {
    compose: async ({ id, raw }: ReceivedMail) => {
      const text = new TextDecoder().decode(raw)
      if (text === 'loop') for (;;);
      // Not in this call, which would only fail.
      if (text === 'throw') setImmediate(crash)
      if (text === 'throw') return new Promise(() => {})
      if (text === 'exit') process.exit()
      return { mail: { id, text }, recipients: [] }
    },
  },
  stop: async () => {},
}))

function crash(): never {
  throw new Error('thrown by a mail')
}
