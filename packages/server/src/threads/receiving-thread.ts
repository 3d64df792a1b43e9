// The entry file of a receiving thread: listens, and stops on a message.

import { workerData } from 'node:worker_threads'
import { startReceiving } from '../app/receiving.ts'
import type { ReceivingThreadData } from '../app/receiving-options.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { startLargeMailComposing } from './composing-host.ts'
import type { ReceivingCalls } from './receiving-host.ts'
import { createStoringThread } from './storing-host.ts'
import { createThreadLog, serveThread } from './thread-protocol.ts'

// Only threads/receiving-host.ts starts this file.
const data = workerData as ReceivingThreadData

void serveThread(async () => {
  const { config } = data.options
  const log = createThreadLog(config.MAYFLY_LOG_LEVEL)
  // SQLite has one writer at a time, and it must not block the dialogues.
  const isSqlite = sqlitePathOf(config.MAYFLY_DATABASE_URL) !== null
  const storing = isSqlite ? createStoringThread(data, log) : null
  const composing = startLargeMailComposing(data.options, log)
  const { compose: composeLarge } = composing
  const receiving = await startReceiving(data, { log, storing, composeLarge })
  const calls: ReceivingCalls = { check: () => receiving.check() }
  return {
    calls,
    value: receiving.port,
    stop: async (graceMs) => {
      await receiving.stop(graceMs)
      await Promise.all([composing.stop(), storing?.stop()])
    },
  }
})
