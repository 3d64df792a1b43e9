import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FollowUp, FollowUpMessage, FollowUpWorkerData } from './follow-up-worker.ts'

/** The thread that follows up on stored mail; it starts with the first. */
export function createFollowUpThread(
  data: FollowUpWorkerData,
  onCrash: (error: unknown) => void,
): FollowUp {
  let thread: Worker | null = null
  const tell = (message: FollowUpMessage) => thread?.postMessage(message)
  return {
    add: (mailIds) => {
      if (thread === null) {
        thread = new Worker(new URL('./follow-up-worker.ts', import.meta.url), { workerData: data })
        thread.on('error', onCrash)
      }
      tell({ type: 'stored', mailIds })
    },
    stop: async () => {
      if (thread === null) return
      const ended = once(thread, 'exit')
      tell({ type: 'stop' })
      await ended
    },
  }
}
