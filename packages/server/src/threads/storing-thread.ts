// The entry file of the thread that parses and stores mails: one transaction a batch.

import { parentPort, workerData } from 'node:worker_threads'
import type { InboxId } from '@mayfly/contract'
import { createStepComposer } from '../assembly/composer.ts'
import { createBatchStore } from '../assembly/storing.ts'
import { StorageUnavailable } from '../errors.ts'
import type { StoreOutcome } from '../features/receiving/commit.ts'
import { Backlog } from '../platform/backlog.ts'
import { elapsedMs, systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { openThreadSignals } from '../signals/thread-signals.ts'
import { openStore } from '../store/open.ts'
import { readBatch } from './mail-batch.ts'
import type { StoringThreadData, StoringThreadMessage } from './storing-host.ts'

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
// Only threads/storing-host.ts starts this file.
const data = workerData as StoringThreadData
const send = (message: StoringThreadMessage) => port.postMessage(message)

// In a function: see content-thread.ts.
void start()

async function start(): Promise<void> {
  const store = await openStore({
    url: data.databaseUrl,
    exclusive: false,
    isMigrated: true,
    syncsInBackground: true,
    elapsedMs,
  })
  const signals = openThreadSignals(data.signalsName)
  const compose = createStepComposer({ ...data, isTextInRaw: true, log: createLog(data.logLevel) })
  const backlog = new Backlog(data.backlogMemory, data.number)
  const isWatched = (inboxId: InboxId) => backlog.isWatchedId(inboxId)
  const storeMails = createBatchStore({ store, signals, clock: systemClock, compose, isWatched })
  let running = Promise.resolve()
  const stop = async () => {
    await running
    await store.close()
    signals.close()
    port.close()
  }
  port.on('message', (message: StoringThreadMessage) => {
    if (message.type === 'store' || message.type === 'sync') {
      const { number } = message
      const answered = answer(number, async () => {
        if (message.type === 'store') return storeMails(readBatch(message.batch), message.options)
        await store.sync()
        return []
      })
      running = running.then(() => answered)
    }
    if (message.type === 'announce') signals.announce(message.signal)
    if (message.type === 'stop') void stop()
  })
}

/** Does what the host has asked for, and tells it the outcome. */
async function answer(number: number, work: () => Promise<readonly StoreOutcome[]>): Promise<void> {
  try {
    send({ type: 'stored', number, outcomes: await work() })
  } catch (error) {
    // Another error is a bug: it ends the thread, and the host counts the mails as not stored.
    if (!(error instanceof StorageUnavailable)) throw error
    const { message: reason, full, isUncertain } = error
    send({ type: 'failed', number, reason, full, isUncertain })
  }
}
