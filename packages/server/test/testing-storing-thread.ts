// Stands in for threads/storing-thread.ts: the subject of the first mail says what it does.

import { parentPort } from 'node:worker_threads'
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
  const subject = batch[0]?.mail.subject
  if (subject === 'throw') throw new Error('thrown by a mail')
  if (subject === 'exit') process.exit(0)
  if (subject === 'full') send({ type: 'failed', number, reason: 'no space', full: true })
  else send({ type: 'stored', number, outcomes: batch.map(outcomeOf) })
})

/** Tells the bytes that arrived by a state that no real mail has. */
function outcomeOf({ mail }: ReturnType<typeof readBatch>[number]) {
  const isWhole = Buffer.from(mail.raw.bytes).toString() === `raw of ${mail.subject}`
  return { state: isWhole ? 'stored' : 'gone', fullInboxes: [] } as const
}
