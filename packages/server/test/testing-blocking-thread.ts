// A follow-up thread for tests: it answers checks, except of mails that block or crash it.

import { parentPort } from 'node:worker_threads'
import type { FollowUpThreadMessage } from '../src/threads/follow-up-host.ts'

parentPort?.on('message', (message: FollowUpThreadMessage) => {
  if (message.type === 'stop') parentPort?.close()
  if (message.type !== 'check') return
  const { mailId, number } = message
  if (mailId === 'crash') throw new Error('crashed by a mail')
  // As an endless loop, but without the processor time.
  if (mailId === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (mailId !== 'silent')
    parentPort?.postMessage({ type: 'checked', number, auth: null, error: null })
})
