// A composing thread for tests of its host: a mail does what its bytes say.

import { parentPort } from 'node:worker_threads'
import type { ComposingThreadMessage } from '../src/threads/composing-host.ts'

parentPort?.on('message', (message: ComposingThreadMessage) => {
  if (message.type !== 'compose') return
  const { id, accepted } = message.arrived
  const text = new TextDecoder().decode(accepted.raw)
  if (text === 'loop') for (;;);
  if (text === 'throw') throw new Error('thrown by a mail')
  if (text === 'exit') process.exit()
  // Only what the test looks at: a whole mail would load the store into each thread.
  parentPort?.postMessage({ type: 'composed', mail: { id, text } })
})
parentPort?.postMessage({ type: 'ready' })
