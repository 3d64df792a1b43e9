// The entry file of the content thread: opens the store, and runs calls one by one.

import { workerData } from 'node:worker_threads'
import { type Content, createContent } from '../app/content.ts'
import { openStore } from '../store/open.ts'
import type { ContentThreadData, PurgeFailedEvent } from './content-host.ts'
import {
  createThreadLog,
  sendEvent,
  serveThread,
  Transferred,
  transferableBytes,
  writeError,
} from './thread-protocol.ts'

// Only threads/content-host.ts starts this file.
const { databaseUrl, directUrl, logLevel } = workerData as ContentThreadData

void serveThread(async () => {
  const store = await openStore({
    url: databaseUrl,
    directUrl,
    exclusive: false,
    isMigrated: true,
    connectionsMax: 1,
    onPurgeFailed: (error) => sendEvent(writeError(error) satisfies PurgeFailedEvent),
  })
  const content = createContent(store, createThreadLog(logLevel))
  const calls = Object.entries(content).map(([name, call]) => [name, served(call)])
  return { calls: Object.fromEntries(calls), stop: () => store.close() }
})

/** The function for calls by the host, which passes the arguments of the one that it names. */
function served(call: Content[keyof Content]) {
  // The host sends these arguments.
  const run = call as (owner: string, request: unknown) => Promise<unknown>
  return async ({ owner, request }: { readonly owner: string; readonly request: unknown }) => {
    const result = await run(owner, request)
    if (!(result instanceof Uint8Array)) return result
    const bytes = transferableBytes(result)
    return new Transferred(bytes, [bytes.buffer])
  }
}
