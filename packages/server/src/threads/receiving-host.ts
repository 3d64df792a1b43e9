import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config/config.ts'

/** The settings of a receiving thread. */
export type ReceivingOptions = {
  readonly config: Config
  readonly hostName: string
  readonly operatorAddress: string
  readonly port: number
  /** Counts that all receiving threads share. */
  readonly usageMemory: SharedArrayBuffer
  readonly tls: { readonly cert: string; readonly key: string } | null
}

/** The receiving side, listening. */
export type Receiving = { readonly port: number; stop(graceMs: number): Promise<void> }

/** What a receiving thread is started with. */
export type ReceivingThreadData = {
  readonly options: ReceivingOptions
  /** Name of the channel for signals between threads of this process. */
  readonly signalsName: string
}

/** The messages between a receiving thread and the thread that started it. */
export type ReceivingThreadMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** `code` is sent separately: an error loses it between threads. */
  | { readonly type: 'failed'; readonly error: unknown; readonly code: string | null }
  | { readonly type: 'stop'; readonly graceMs: number }

/** What the receiving threads are started with. */
export type ReceivingThreads = {
  readonly options: ReceivingOptions
  readonly count: number
  readonly signalsName: string
  /** Called when a thread ends with an error. */
  readonly onCrash: (error: unknown) => void
}

/** Starts the receiving threads in sequence: with port 0, the first one picks the port. */
export async function startReceivingThreads(start: ReceivingThreads): Promise<Receiving> {
  const threads: Worker[] = []
  let { port } = start.options
  for (let i = 0; i < start.count; i++) {
    const data: ReceivingThreadData = {
      options: { ...start.options, port },
      signalsName: start.signalsName,
    }
    const thread = new Worker(new URL('./receiving-thread.ts', import.meta.url), {
      workerData: data,
    })
    threads.push(thread)
    try {
      port = await listening(thread)
    } catch (error) {
      await Promise.all(threads.map((one) => one.terminate()))
      throw error
    }
    thread.on('error', start.onCrash)
  }
  return {
    port,
    stop: async (graceMs) => {
      await Promise.all(threads.map((thread) => stop(thread, graceMs)))
    },
  }
}

async function listening(thread: Worker): Promise<number> {
  // Only threads/receiving-thread.ts sends on this port.
  const [message] = (await once(thread, 'message')) as [ReceivingThreadMessage]
  if (message.type === 'listening') return message.port
  if (message.type !== 'failed')
    throw new Error(`unexpected first message from the receiving thread: ${message.type}`)
  const { error, code } = message
  throw error instanceof Error && code !== null ? Object.assign(error, { code }) : error
}

async function stop(thread: Worker, graceMs: number): Promise<void> {
  const ended = once(thread, 'exit')
  const message: ReceivingThreadMessage = { type: 'stop', graceMs }
  thread.postMessage(message)
  await ended
}
