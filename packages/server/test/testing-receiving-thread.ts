// A receiving thread for tests: it listens nowhere, and does what its host name names.

import { parentPort, workerData } from 'node:worker_threads'
import type { ReceivingThreadData, ReceivingThreadMessage } from '../src/threads/receiving-host.ts'

// Only a test of threads/receiving-host.ts starts this file.
const { options } = workerData as ReceivingThreadData
const send = (message: ReceivingThreadMessage) => parentPort?.postMessage(message)

parentPort?.on('message', (message: ReceivingThreadMessage) => {
  if (message.type === 'stop' && options.hostName !== 'deaf') parentPort?.close()
  if (message.type !== 'check') return
  if (options.hostName === 'crash') throw new Error('crashed by a mail')
  const error = options.hostName === 'failing' ? 'no storage' : null
  send({ type: 'checked', number: message.number, error })
})
send({ type: 'listening', port: 1 })
if (options.hostName === 'connected') send({ type: 'connected', agoMs: 20 })
