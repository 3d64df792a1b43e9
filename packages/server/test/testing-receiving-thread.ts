// A receiving thread for tests: it listens nowhere, and does what its host name names.

import { workerData } from 'node:worker_threads'
import type { ReceivingThreadData } from '../src/app/receiving-options.ts'
import type { ReceivingCalls } from '../src/threads/receiving-host.ts'
import { serveThread } from '../src/threads/thread-protocol.ts'

// Only a test of threads/receiving-host.ts starts this file.
const { hostName } = (workerData as ReceivingThreadData).options

const calls: ReceivingCalls = {
  check: async () => {
    if (hostName === 'crash') process.exit()
    if (hostName === 'failing') throw new Error('no storage')
  },
}

void serveThread(async () => {
  if (hostName === 'unable') throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
  const stop = () => (hostName === 'deaf' ? new Promise<void>(() => {}) : Promise.resolve())
  return { calls, value: 1, stop }
})
