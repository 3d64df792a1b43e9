// The threads that receive mail.
//
// A thread is starting, then listening, until it is stopped. One that ends by itself is started
// again, on the same port.

import type { Worker } from 'node:worker_threads'
import type { AccountId, InboxId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { Backlog, createBacklogMemory } from '../platform/backlog.ts'
import { startThread } from './worker.ts'

/** The settings of a receiving thread. */
export type ReceivingOptions = {
  readonly config: Config
  readonly hostName: string
  readonly operatorAddress: string
  /** The account whose project inbox gets mail without credentials; null without one. */
  readonly catchAllOwner: AccountId | null
  readonly port: number
  /** Counts that all receiving threads share. */
  readonly usageMemory: SharedArrayBuffer
  readonly tls: { readonly cert: string; readonly key: string } | null
}

/** The receiving side, listening. */
export type Receiving = {
  readonly port: number
  /** Throws when mails cannot be stored, or a thread has ended. */
  check(): Promise<void>
  /**
   * Resolves when mails of an account that are accepted now can be read, or those of one inbox
   * alone; null when they can.
   */
  caughtUp(accountId: AccountId, inboxId?: InboxId): Promise<unknown> | null
  /** Whether the mails of an inbox that are accepted now can be read. */
  isCaughtUp(inboxId: InboxId): boolean
  /** Somebody waits for mails of an inbox or account, or nobody any more. */
  watch(id: InboxId | AccountId, isWatched: boolean): void
  stop(graceMs: number): Promise<void>
}

/** What a receiving thread is started with. */
export type ReceivingThreadData = {
  readonly options: ReceivingOptions
  /** Name of the channel for signals between threads of this process. */
  readonly signalsName: string
  /** Of the receiving threads of this process, from 0. */
  readonly number: number
  /** Counts of accepted and stored mails; see platform/backlog.ts. */
  readonly backlogMemory: SharedArrayBuffer
}

/** The messages between a receiving thread and the thread that started it. */
export type ReceivingThreadMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'connected'; readonly agoMs: number }
  /** `code` is sent separately: an error loses it between threads. */
  | { readonly type: 'failed'; readonly error: unknown; readonly code: string | null }
  | { readonly type: 'check'; readonly number: number }
  | { readonly type: 'checked'; readonly number: number; readonly error: string | null }
  | { readonly type: 'stop'; readonly graceMs: number }

/** What the receiving threads are started with. */
export type ReceivingThreads = {
  readonly options: Omit<ReceivingOptions, 'usageMemory'>
  readonly count: number
  readonly createUsageMemory: () => SharedArrayBuffer
  readonly signalsName: string
  /** A client has connected some milliseconds ago; called at most once a second by each thread. */
  readonly onConnection: (agoMs: number) => void
  /** A thread crashed, or could not be started again. Another start follows. */
  readonly onCrash: (error: unknown) => void
  /** The thread's file; for tests. */
  readonly file?: URL
}

/** Time until a thread that ended is started again. */
const RESTART_MS = 500

/** Time for a thread to end after its clients had theirs, when the service stops. */
const STOP_MS = 2_000

/** Starts the receiving threads in sequence: with port 0, the first one picks the port. */
export async function startReceivingThreads(start: ReceivingThreads): Promise<Receiving> {
  const threads: ReceivingThread[] = []
  let usageMemory = start.createUsageMemory()
  const usage = () => {
    // A thread that crashed took back nothing that it had counted.
    if (!threads.some(({ isRunning }) => isRunning)) usageMemory = start.createUsageMemory()
    return usageMemory
  }
  const backlogMemory = createBacklogMemory(start.count)
  const backlogs = Array.from({ length: start.count }, (_, i) => new Backlog(backlogMemory, i))
  let { port } = start.options
  try {
    for (let number = 0; number < start.count; number++) {
      const thread = new ReceivingThread(start, { usage, number, backlogMemory })
      threads.push(thread)
      port = await thread.start(port)
    }
  } catch (error) {
    await Promise.all(threads.map((thread) => thread.stop(0)))
    throw error
  }
  return {
    port,
    check: async () => {
      await Promise.all(threads.map((thread) => thread.check()))
    },
    caughtUp: (accountId, inboxId) => {
      // Of the account in any case: nobody waits for the mails of others.
      const behind = backlogs.filter((backlog) => !backlog.isCaughtUp(accountId))
      const waiting = behind.flatMap((backlog) => backlog.caughtUp(inboxId ?? accountId) ?? [])
      return waiting.length === 0 ? null : Promise.all(waiting)
    },
    isCaughtUp: (inboxId) => backlogs.every((backlog) => backlog.isCaughtUp(inboxId)),
    watch: (id, isWatched) => {
      for (const backlog of backlogs) isWatched ? backlog.watch(id) : backlog.unwatch(id)
    },
    stop: async (graceMs) => {
      await Promise.all(threads.map((thread) => thread.stop(graceMs)))
    },
  }
}

/** What one thread is started with, beside what all have. */
type OwnData = Pick<ReceivingThreadData, 'number' | 'backlogMemory'> & {
  readonly usage: () => SharedArrayBuffer
}

class ReceivingThread {
  readonly #threads: ReceivingThreads
  readonly #own: OwnData
  readonly #checks = new Map<number, PromiseWithResolvers<void>>()
  #worker: Worker | null = null
  #checkCount = 0
  #isStopping = false
  #restartTimer: NodeJS.Timeout | undefined

  constructor(threads: ReceivingThreads, own: OwnData) {
    this.#threads = threads
    this.#own = own
  }

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Resolves with the port once the thread listens. */
  async start(port: number): Promise<number> {
    const { usage, number, backlogMemory } = this.#own
    const options = { ...this.#threads.options, port, usageMemory: usage() }
    const { signalsName } = this.#threads
    const workerData: ReceivingThreadData = { options, signalsName, number, backlogMemory }
    const file = this.#threads.file ?? new URL('./receiving-thread.ts', import.meta.url)
    const worker = startThread(file, { workerData })
    this.#worker = worker
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null
    })
    let chosen: number
    try {
      chosen = await listening(worker)
    } catch (error) {
      await worker.terminate()
      throw error
    }
    worker.on('message', (message: ReceivingThreadMessage) => {
      if (message.type === 'connected') this.#threads.onConnection(message.agoMs)
      if (message.type === 'checked') this.#settle(message.number, message.error)
    })
    worker.on('error', this.#threads.onCrash)
    worker.once('exit', () => {
      for (const number of this.#checks.keys()) this.#settle(number, 'the thread has ended')
      this.#restart(chosen)
    })
    return chosen
  }

  async check(): Promise<void> {
    if (this.#worker === null) {
      throw new Error('a thread that receives mail has ended; it is being started again')
    }
    const number = ++this.#checkCount
    const checked = Promise.withResolvers<void>()
    this.#checks.set(number, checked)
    const message: ReceivingThreadMessage = { type: 'check', number }
    this.#worker.postMessage(message)
    return checked.promise
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restartTimer)
    const worker = this.#worker
    if (worker === null) return
    const ended = new Promise<unknown>((resolve) => worker.once('exit', resolve))
    const timer = setTimeout(() => worker.terminate(), graceMs + STOP_MS)
    const message: ReceivingThreadMessage = { type: 'stop', graceMs }
    worker.postMessage(message)
    await ended
    clearTimeout(timer)
  }

  #settle(number: number, error: string | null): void {
    if (error === null) this.#checks.get(number)?.resolve()
    else this.#checks.get(number)?.reject(new Error(error))
    this.#checks.delete(number)
  }

  #restart(port: number): void {
    if (this.#isStopping) return
    this.#restartTimer = setTimeout(() => {
      this.start(port).catch((error: unknown) => {
        this.#threads.onCrash(error)
        this.#restart(port)
      })
    }, RESTART_MS)
  }
}

/** Resolves with the port that a thread listens on; rejects when it ends before. */
async function listening(worker: Worker): Promise<number> {
  const message = await new Promise<ReceivingThreadMessage>((resolve, reject) => {
    // Only threads/receiving-thread.ts sends on this port.
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the receiving thread ended at its start')))
  })
  if (message.type === 'listening') return message.port
  if (message.type !== 'failed')
    throw new Error(`unexpected first message from the receiving thread: ${message.type}`)
  const { error, code } = message
  throw error instanceof Error && code !== null ? Object.assign(error, { code }) : error
}
