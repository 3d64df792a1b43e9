// The threads that receive mail. One that ends by itself is started again, on the same port.

import type { Receiving } from '../app/receiving.ts'
import type { ReceivingOptions, ReceivingThreadData } from '../app/receiving-options.ts'
import { HostedThread } from './hosted-thread.ts'

/** The calls of the thread. */
export type ReceivingCalls = { readonly check: (request: null) => Promise<void> }

/** The options of the receiving threads. */
export type ReceivingThreads = Omit<ReceivingThreadData, 'options'> & {
  readonly options: Omit<ReceivingOptions, 'usageMemory'>
  readonly count: number
  readonly createUsageMemory: () => SharedArrayBuffer
  /** A thread crashed, or could not be started again. Another start follows. */
  readonly onCrash: (error: unknown) => void
  /** The thread's file; for tests. */
  readonly file?: URL
}

/** Time until a thread that ended is started again. */
const RESTART_MS = 500

/** Starts the receiving threads in sequence: with port 0, the first one picks the port. */
export async function startReceivingThreads(start: ReceivingThreads): Promise<Receiving> {
  const { signalsName, clockMemory } = start
  const threads: HostedThread<ReceivingCalls>[] = []
  let usageMemory = start.createUsageMemory()
  let { port } = start.options
  const data = (): ReceivingThreadData => {
    // A thread that crashed took back nothing that it had counted.
    if (!threads.some(({ isRunning }) => isRunning)) usageMemory = start.createUsageMemory()
    return { options: { ...start.options, port, usageMemory }, signalsName, clockMemory }
  }
  const stop = async (graceMs: number) => {
    await Promise.all(threads.map((thread) => thread.stop(graceMs)))
  }
  const file = start.file ?? new URL('./receiving-thread.ts', import.meta.url)
  try {
    for (let started = 0; started < start.count; started++) {
      let isStarted = false
      const onCrash = (error: unknown) => {
        // Otherwise the start of the service throws it.
        if (isStarted) start.onCrash(error)
      }
      const thread = new HostedThread<ReceivingCalls>({
        ...{ file, data, onCrash },
        restartMs: RESTART_MS,
      })
      threads.push(thread)
      // It gives the port that it listens on.
      port = (await thread.start()) as number
      isStarted = true
    }
  } catch (error) {
    await stop(0)
    throw error
  }
  return { port, check: async () => void (await Promise.all(threads.map(checkThread))), stop }
}

async function checkThread(thread: HostedThread<ReceivingCalls>): Promise<void> {
  if (!thread.isRunning) {
    throw new Error('a thread that receives mail has ended; it is being started again')
  }
  await thread.call('check', null)
}
