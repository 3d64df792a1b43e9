// The entry file of the thread that composes and stores mails: one transaction a batch.

import { workerData } from 'node:worker_threads'
import { startStoreClock } from '../app/store-clock.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import { createCompose } from '../receiving/compose.ts'
import { storeMails } from '../receiving/store-mails.ts'
import { openThreadSignals } from '../signals/thread-signals.ts'
import { openStore } from '../store/open.ts'
import { readBatch } from './mail-batch.ts'
import type { StoringCalls, StoringThreadData } from './storing-host.ts'
import { createThreadLog, serveThread } from './thread-protocol.ts'

// Only threads/storing-host.ts starts this file.
const data = workerData as StoringThreadData

void serveThread(async () => {
  const store = await openStore({
    url: data.databaseUrl,
    exclusive: false,
    isMigrated: true,
    syncsInBackground: true,
    elapsedMs,
  })
  const signals = openThreadSignals(data.signalsName)
  const log = createThreadLog(data.logLevel)
  const compose = createCompose({ ...data, log })
  const { clock } = await startStoreClock(store, log, data.clockMemory)
  const deps = { store, clock, ids: createIds(clock), announce: signals.announce }
  let storing: Promise<unknown> = Promise.resolve()
  const calls: StoringCalls = {
    store: ({ batch, options }) => {
      const stored = storeMails(deps, compose(readBatch(batch)), options)
      storing = Promise.allSettled([storing, stored])
      return stored
    },
  }
  return {
    calls,
    stop: async () => {
      await storing
      await store.close()
      signals.close()
    },
  }
})
