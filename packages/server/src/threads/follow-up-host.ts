import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import type { Finding } from '../features/follow-up/record.ts'

/** Follows up on stored mails. */
export type FollowUp = { add(mailIds: readonly string[]): void; stop(): Promise<void> }

/** What the follow-up thread is started with. */
export type FollowUpThreadData = { readonly config: Config; readonly hostName: string }

/** The messages between the follow-up thread and the thread that started it. */
export type FollowUpThreadMessage =
  | { readonly type: 'stored'; readonly mailIds: readonly string[] }
  | { readonly type: 'found'; readonly number: number; readonly finding: Finding }
  | { readonly type: 'recorded'; readonly number: number; readonly error: string | null }
  | { readonly type: 'stop' }

/** What the host does for the thread. */
export type FollowUpHostOptions = {
  /** Resolves once the finding is stored. */
  readonly record: (finding: Finding) => Promise<unknown>
  readonly onCrash: (error: unknown) => void
}

/** Follows up on stored mails in a thread of its own, which the first mail starts. */
export function createFollowUpThread(
  data: FollowUpThreadData,
  { record, onCrash }: FollowUpHostOptions,
): FollowUp {
  let thread: Worker | null = null
  const send = (message: FollowUpThreadMessage) => thread?.postMessage(message)
  const onMessage = (message: FollowUpThreadMessage) => {
    if (message.type !== 'found') return
    const { number, finding } = message
    record(finding).then(
      () => send({ type: 'recorded', number, error: null }),
      (error: unknown) => send({ type: 'recorded', number, error: String(error) }),
    )
  }
  return {
    add: (mailIds) => {
      if (thread === null) {
        const { config, hostName } = data
        const workerData: FollowUpThreadData = { config, hostName }
        thread = new Worker(new URL('./follow-up-thread.ts', import.meta.url), { workerData })
        thread.on('error', onCrash)
        thread.on('message', onMessage)
      }
      send({ type: 'stored', mailIds })
    },
    stop: async () => {
      if (thread === null) return
      const ended = once(thread, 'exit')
      send({ type: 'stop' })
      await ended
    },
  }
}
