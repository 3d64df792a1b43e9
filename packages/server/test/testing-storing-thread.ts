// Stands in for threads/storing-thread.ts: the sender of the first mail says what it does.

import { StorageUnavailable } from '../src/errors.ts'
import type { MailToStore } from '../src/receiving/received-mail.ts'
import { readBatch } from '../src/threads/mail-batch.ts'
import type { StoringCalls } from '../src/threads/storing-host.ts'
import { serveThread } from '../src/threads/thread-protocol.ts'

const calls: StoringCalls = {
  store: async (request) => {
    const batch = readBatch(request.batch)
    const sender = batch.map(contentOf)[0]?.mailFrom
    if (sender === 'exit') process.exit(0)
    if (sender === 'full') throw new StorageUnavailable('no space', true)
    return batch.map(resultOf)
  },
}
void serveThread(async () => ({ calls, stop: async () => {} }))

function contentOf(mail: MailToStore): { readonly mailFrom: string; readonly raw: Uint8Array } {
  return 'mail' in mail
    ? { mailFrom: mail.mail.sender.mailFrom, raw: mail.mail.raw.bytes }
    : { mailFrom: mail.envelope.mailFrom, raw: mail.raw }
}

/** Tells the bytes that arrived by a state that no real mail has. */
function resultOf(mail: MailToStore) {
  const { mailFrom, raw } = contentOf(mail)
  const isWhole = Buffer.from(raw).toString() === `raw of ${mailFrom}`
  const state = isWhole ? 'stored' : 'gone'
  return { state, messageId: null, fullInboxes: [], sizeBytes: raw.length } as const
}
