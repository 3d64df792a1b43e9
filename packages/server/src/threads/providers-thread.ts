// The entry file of the thread that reads calls of providers' APIs, one by one.

import { workerData } from 'node:worker_threads'
import { startStoreClock } from '../app/store-clock.ts'
import { createProviderWork } from '../features/providers/work.ts'
import { createIds } from '../platform/ids.ts'
import { redated } from '../providers/compose.ts'
import { type CallRequest, mailsOf, runCall } from '../providers/run-call.ts'
import { openStore } from '../store/open.ts'
import type { NewHeldMail } from '../store/tables/provider-mails.ts'
import type { HeldToRead, ProvidersCalls, ProvidersThreadData } from './providers-host.ts'
import { createThreadLog, serveThread, Transferred } from './thread-protocol.ts'

// Only threads/providers-host.ts starts this file.
const { databaseUrl, directUrl, logLevel, clockMemory } = workerData as ProvidersThreadData

void serveThread(async () => {
  const store = await openStore({
    url: databaseUrl,
    directUrl,
    exclusive: false,
    isMigrated: true,
    connectionsMax: 1,
  })
  const { clock, stop } = await startStoreClock(store, createThreadLog(logLevel), clockMemory)
  const deps = { store, clock, ids: createIds(clock) }
  const calls: ProvidersCalls = {
    run: async ({ owner, request }) => {
      // The host sends a `CallRequest`.
      const call = request as CallRequest
      const result = await runCall(createProviderWork(deps, owner, call.provider), call)
      if (result.state !== 'done') return result
      const buffers = new Set(mailsOf(result.outcome).map(({ raw }) => raw.buffer))
      return new Transferred(result, [...buffers])
    },
    hold: async ({ request }) => {
      // The host sends it.
      await store.providers.mails.add(request as NewHeldMail)
    },
    readHeld: async ({ request }) => {
      // As above.
      const { key, date } = request as HeldToRead
      const raw = redated(await store.providers.mails.findRaw(key), date)
      return new Transferred(raw, [raw.buffer])
    },
  }
  return {
    calls,
    stop: async () => {
      await stop()
      await store.close()
    },
  }
})
