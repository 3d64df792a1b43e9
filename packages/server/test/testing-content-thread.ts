// A content thread for tests of its host: a call does what its request names.

import { ServiceError } from '../src/errors.ts'
import type { PurgeFailedEvent } from '../src/threads/content-host.ts'
import { sendEvent, serveThread, writeError } from '../src/threads/thread-protocol.ts'

type Asked = { readonly owner: string; readonly request: unknown }

let count = 0

const readRaw = async ({ owner, request }: Asked) => {
  if (request === 'count') return new TextEncoder().encode(`${owner} ${++count}`)
  if (request === 'loop') for (;;);
  if (request === 'exit') process.exit()
  if (request === 'leave') {
    sendEvent(writeError(new Error('some are left')) satisfies PurgeFailedEvent)
  }
  if (request === 'refuse') throw new ServiceError('message_not_found')
  return new TextEncoder().encode(`${owner} ${request}`)
}

void serveThread(async () => ({
  calls: {
    readRaw,
    // Of a mail to send, its id.
    sendMail: ({ owner, request }: Asked) =>
      readRaw({ owner, request: Reflect.get(Object(request), 'mailId') }),
  },
  stop: async () => {},
}))
