// The entry file of the follow-up thread: opens the store, starts, and stops on a message.

import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { startFollowUp } from '../assembly/follow-up.ts'
import { startStoreClock } from '../assembly/store-clock.ts'
import { failureReason } from '../errors.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { createLog } from '../platform/log.ts'
import { lowerPriority } from '../platform/priority.ts'
import { openStore } from '../store/open.ts'
import type { FollowUp, FollowUpThreadData, FollowUpThreadMessage } from './follow-up-host.ts'

/**
 * Below receiving and the API, which get nine tenths of a busy processor. Not the lowest: that
 * gets a hundredth, and somebody may wait for a sender check.
 */
const PRIORITY_STEPS = 10

if (parentPort === null) throw new Error('This file runs as a worker thread only.')
const port = parentPort
const send = (message: FollowUpThreadMessage) => port.postMessage(message)
// Only threads/follow-up-host.ts starts this file.
const { config, hostName } = workerData as FollowUpThreadData

// In a function: see content-thread.ts.
void start()

async function start(): Promise<void> {
  // On Linux this is the priority of the calling thread only.
  if (process.platform === 'linux') lowerPriority(os, PRIORITY_STEPS)
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    isMigrated: true,
    connectionsMax: 4,
  })
  const log = createLog(config.MAYFLY_LOG_LEVEL)
  const { record, settle } = createRecorder()
  const { clock, stop: stopClock } = await startStoreClock(store, log)
  const followUp = startFollowUp({ store, log, config, hostName, clock, record })
  port.on('message', async (message: FollowUpThreadMessage) => {
    if (message.type === 'stored') followUp.stored()
    else if (message.type === 'check') await check(followUp, message)
    else if (message.type === 'ping') await ping(followUp)
    else if (message.type === 'recorded') settle(message.number, message.error)
    else if (message.type === 'stop') {
      await followUp.stop()
      await stopClock()
      await store.close()
      port.close()
    }
  })
}

async function check(
  followUp: FollowUp,
  { number, mailId }: Extract<FollowUpThreadMessage, { type: 'check' }>,
) {
  try {
    send({ type: 'checked', number, auth: await followUp.check(mailId), error: null })
  } catch (error) {
    send({ type: 'checked', number, auth: null, error: String(error) })
  }
}

async function ping(followUp: FollowUp) {
  send({ type: 'pinged', error: await followUp.ping().then(() => null, failureReason) })
}

/** Sends findings to the main thread, which stores them. */
function createRecorder() {
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  let count = 0
  return {
    record: (finding: AttachmentFinding): Promise<void> => {
      const written = Promise.withResolvers<void>()
      count += 1
      waiting.set(count, written)
      send({ type: 'found', number: count, finding })
      return written.promise
    },
    settle: (number: number, error: string | null): void => {
      if (error === null) waiting.get(number)?.resolve()
      else waiting.get(number)?.reject(new Error(error))
      waiting.delete(number)
    },
  }
}
