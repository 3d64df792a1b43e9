// Stands in for threads/storing-thread.ts: the sender of the first mail says what it does.

import { parentPort } from 'node:worker_threads'
import type { MailToStore } from '../src/assembly/storing.ts'
import { readBatch } from '../src/threads/mail-batch.ts'
import type { StoringThreadMessage } from '../src/threads/storing-host.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread only.')
const send = (message: StoringThreadMessage) => port.postMessage(message)

port.on('message', (message: StoringThreadMessage) => {
  if (message.type === 'stop') port.close()
  if (message.type !== 'store') return
  const { number } = message
  const batch = readBatch(message.batch)
  const sender = batch.map(contentOf)[0]?.mailFrom
  if (sender === 'throw') throw new Error('thrown by a mail')
  if (sender === 'exit') process.exit(0)
  if (sender === 'full')
    send({ type: 'failed', number, reason: 'no space', full: true, isUncertain: false })
  else send({ type: 'stored', number, outcomes: batch.map(outcomeOf) })
})

function contentOf(mail: MailToStore): { readonly mailFrom: string; readonly raw: Uint8Array } {
  return 'mail' in mail
    ? { mailFrom: mail.mail.sender.mailFrom, raw: mail.mail.raw.bytes }
    : { mailFrom: mail.accepted.envelope.mailFrom, raw: mail.accepted.raw }
}

/** Tells the bytes that arrived by a state that no real mail has. */
function outcomeOf(mail: MailToStore) {
  const { mailFrom, raw } = contentOf(mail)
  const isWhole = Buffer.from(raw).toString() === `raw of ${mailFrom}`
  const state = isWhole ? 'stored' : 'gone'
  return { state, messageId: null, fullInboxes: [], sizeBytes: raw.length } as const
}
