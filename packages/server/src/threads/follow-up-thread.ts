// The entry file of the follow-up thread.

import os from 'node:os'
import { workerData } from 'node:worker_threads'
import { startFollowUp } from '../app/follow-up.ts'
import { startStoreClock } from '../app/store-clock.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { lowerPriority } from '../platform/priority.ts'
import { openStore } from '../store/open.ts'
import type { FollowUpCalls, FollowUpThreadData, FoundEvent } from './follow-up-host.ts'
import { createThreadLog, sendEvent, serveThread } from './thread-protocol.ts'

/**
 * Below receiving and the API, which keep three quarters of a busy core. Not lower: with a tenth of
 * a core, a sender check with a waiting caller exceeds its deadline.
 */
const PRIORITY_STEPS = 5

// Only threads/follow-up-host.ts starts this file.
const { config, hostName, clockMemory } = workerData as FollowUpThreadData

void serveThread(async () => {
  // On Linux this is the priority of the calling thread only.
  if (process.platform === 'linux') lowerPriority(os, PRIORITY_STEPS)
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    isMigrated: true,
    connectionsMax: 4,
  })
  const log = createThreadLog(config.MAYFLY_LOG_LEVEL)
  const { record, recorded } = createRecorder()
  const { clock, stop: stopClock } = await startStoreClock(store, log, clockMemory)
  const followUp = startFollowUp({ store, log, config, hostName, clock, record })
  // After a crash there may be mails that were stored before it.
  followUp.stored()
  const calls: FollowUpCalls = {
    stored: async () => followUp.stored(),
    check: (mailId) => followUp.check(mailId),
    ping: () => followUp.ping(),
    recorded,
  }
  return {
    calls,
    stop: async () => {
      await followUp.stop()
      await stopClock()
      await store.close()
    },
  }
})

/** Sends findings to the main thread, which stores them. */
function createRecorder() {
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  let count = 0
  const record = (finding: AttachmentFinding): Promise<void> => {
    const written = Promise.withResolvers<void>()
    count += 1
    waiting.set(count, written)
    sendEvent({ number: count, finding } satisfies FoundEvent)
    return written.promise
  }
  const recorded: FollowUpCalls['recorded'] = async ({ number, error }) => {
    if (error === null) waiting.get(number)?.resolve()
    else waiting.get(number)?.reject(new Error(error))
    waiting.delete(number)
  }
  return { record, recorded }
}
