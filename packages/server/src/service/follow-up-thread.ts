import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Finding } from '../features/follow-up/record.ts'
import type { FollowUp, FollowUpMessage, FollowUpWorkerData } from '../follow-up-worker.ts'

/** What the thread tells, and is told in turn. */
export type FollowUpThreadOptions = {
  /** Writes a finding of the thread. */
  readonly record: (finding: Finding) => Promise<unknown>
  readonly onCrash: (error: unknown) => void
}

/** The thread that follows up on stored mail; it starts with the first. */
export function createFollowUpThread(
  data: FollowUpWorkerData,
  { record, onCrash }: FollowUpThreadOptions,
): FollowUp {
  let thread: Worker | null = null
  const tell = (message: FollowUpMessage) => thread?.postMessage(message)
  const hear = (message: FollowUpMessage) => {
    if (message.type !== 'found') return
    const { number, finding } = message
    record(finding).then(
      () => tell({ type: 'recorded', number, error: null }),
      (error: unknown) => tell({ type: 'recorded', number, error: String(error) }),
    )
  }
  return {
    add: (mailIds) => {
      if (thread === null) {
        thread = new Worker(new URL('../follow-up-worker.ts', import.meta.url), {
          workerData: data,
        })
        thread.on('error', onCrash)
        thread.on('message', hear)
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
