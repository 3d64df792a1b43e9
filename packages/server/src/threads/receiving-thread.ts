// The entry file of a receiving thread: listens, and stops on a message.

import { parentPort, workerData } from 'node:worker_threads'
import { startReceiving } from '../assembly/receiving.ts'
import { failureReason } from '../errors.ts'
import { createLog, type Log } from '../platform/log.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { spoolsOfThread } from '../store/sqlite/spool.ts'
import type { ReceivingThreadData, ReceivingThreadMessage } from './receiving-host.ts'
import { createStoringThread, type StoringThread } from './storing-host.ts'

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
const send = (message: ReceivingThreadMessage) => port.postMessage(message)
// Only threads/receiving-host.ts starts this file.
const data = workerData as ReceivingThreadData

// In a function: see content-thread.ts.
void start()

async function start(): Promise<void> {
  try {
    const log = createLog(data.options.config.MAYFLY_LOG_LEVEL)
    const storing = createStoring(log)
    const open = async () => {
      // It loads while this thread does.
      storing?.start()
      const { openMailHandling } = await import('./open-mail-handling.ts')
      return openMailHandling(data, { log, storing })
    }
    const receiving = await startReceiving(
      {
        open,
        // A node is not ready while its connections to PostgreSQL fail, also before its first mail.
        // Nor is it before it has stored what was accepted before a crash.
        opensAtOnce: storing === null || hasSpools(),
        onConnection: (agoMs) => send({ type: 'connected', agoMs }),
        onError: (error) => log.error({ err: error }, 'receiving failed'),
      },
      data.options,
    )
    port.on('message', async (message: ReceivingThreadMessage) => {
      if (message.type === 'check') {
        const error = await receiving.check().then(() => null, failureReason)
        send({ type: 'checked', number: message.number, error })
      }
      if (message.type !== 'stop') return
      await receiving.stop(message.graceMs)
      await storing?.stop()
      port.close()
    })
    send({ type: 'listening', port: receiving.port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    send({ type: 'failed', error, code })
  }
}

/** Whether this thread finds accepted mails that may not be stored. */
function hasSpools(): boolean {
  const { number, options } = data
  const path = sqlitePathOf(options.config.MAYFLY_DATABASE_URL)
  const count = options.config.MAYFLY_SMTP_THREADS
  return path !== null && spoolsOfThread(path, { number, count }).length > 0
}

/** SQLite has one writer at a time, and it must not hold up the dialogues. */
function createStoring(log: Log): StoringThread | null {
  const { config } = data.options
  if (sqlitePathOf(config.MAYFLY_DATABASE_URL) === null) return null
  return createStoringThread(data, log)
}
