// The entry file of a receiving thread: opens the store, starts, and stops on a message.

import { parentPort, workerData } from 'node:worker_threads'
import { startReceiving } from '../assembly/receiving.ts'
import { startStoreClock } from '../assembly/store-clock.ts'
import { failureReason } from '../errors.ts'
import { createLog } from '../platform/log.ts'
import { openThreadSignals, type Signal } from '../signals/thread-signals.ts'
import { openStore } from '../store/open.ts'
import type { ReceivingThreadData, ReceivingThreadMessage } from './receiving-host.ts'
import { StoringThread } from './storing-host.ts'

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
const send = (message: ReceivingThreadMessage) => port.postMessage(message)
// Only threads/receiving-host.ts starts this file.
const { options, signalsName } = workerData as ReceivingThreadData

// In a function: see content-thread.ts.
void start()

async function start(): Promise<void> {
  try {
    const url = options.config.MAYFLY_DATABASE_URL
    const store = await openStore({
      url,
      directUrl: options.config.MAYFLY_DATABASE_DIRECT_URL,
      exclusive: false,
      isMigrated: true,
      syncsInBackground: true,
    })
    const log = createLog(options.config.MAYFLY_LOG_LEVEL)
    // SQLite has one writer at a time, and it must not hold up the dialogues.
    const onCrash = (error: unknown) =>
      log.error({ err: error }, 'the thread that stores mails ended; it is started again')
    const storing = store.isShared
      ? null
      : new StoringThread({ databaseUrl: url, signalsName }, { onCrash })
    const signals = storing === null ? openThreadSignals(signalsName) : null
    const announce = (signal: Signal) => (storing ?? signals)?.announce(signal)
    const { clock, stop: stopClock } = await startStoreClock(store, log)
    const receiving = await startReceiving(
      { store, log, signals: { announce }, clock, storing },
      options,
    )
    port.on('message', async (message: ReceivingThreadMessage) => {
      if (message.type === 'check') {
        const error = await receiving.check().then(() => null, failureReason)
        send({ type: 'checked', number: message.number, error })
      }
      if (message.type !== 'stop') return
      await receiving.stop(message.graceMs)
      await stopClock()
      await store.close()
      signals?.close()
      port.close()
    })
    send({ type: 'listening', port: receiving.port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    send({ type: 'failed', error, code })
  }
}
