// Mails are parsed and written to SQLite in a thread of their own, so that the dialogues of senders
// go on meanwhile.
//
// The first mail starts the thread, if it was not started before. When it ends by itself, the mails
// that it was given count as not stored, which is safe: no sender was told otherwise. The next mail
// starts it again.

import type { Worker } from 'node:worker_threads'
import type { MailToStore } from '../assembly/storing.ts'
import { BatchFailed, StorageUnavailable } from '../errors.ts'
import type { BatchOptions, StoreOutcome } from '../features/receiving/commit.ts'
import type { Log } from '../platform/log.ts'
import type { Signal } from '../signals/thread-signals.ts'
import { type MailBatch, writeBatch } from './mail-batch.ts'
import type { ReceivingThreadData } from './receiving-host.ts'
import { startThread } from './worker.ts'

/** What the thread is started with. */
export type StoringThreadData = {
  readonly databaseUrl: string
  /** Name of the channel for signals between threads of this process. */
  readonly signalsName: string
  readonly hostName: string
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  readonly logLevel: string
} & Pick<ReceivingThreadData, 'number' | 'backlogMemory'>

/** The messages between the thread and the thread that started it. */
export type StoringThreadMessage =
  | {
      readonly type: 'store'
      readonly number: number
      readonly batch: MailBatch
      readonly options: BatchOptions
    }
  /** Answered by `stored` without outcomes. */
  | { readonly type: 'sync'; readonly number: number }
  | {
      readonly type: 'stored'
      readonly number: number
      readonly outcomes: readonly StoreOutcome[]
    }
  | {
      readonly type: 'failed'
      readonly number: number
      readonly reason: string
      /** Whether the storage is out of space. */
      readonly full: boolean
      /** Whether the mails may be stored nevertheless. */
      readonly isUncertain: boolean
    }
  | { readonly type: 'announce'; readonly signal: Signal }
  | { readonly type: 'stop' }

/** What the host is started with. */
export type StoringHostOptions = {
  /** The thread ended by itself. */
  readonly onCrash: (error: unknown) => void
  /** The thread's file; for tests. */
  readonly file?: URL
}

/** Time for the thread to finish what it was given, when the service stops. */
const STOP_MS = 2_000

/** Stores mails in a thread of its own. */
export class StoringThread {
  readonly #data: StoringThreadData
  readonly #options: StoringHostOptions
  readonly #running = new Map<number, PromiseWithResolvers<readonly StoreOutcome[]>>()
  #thread: Worker | null = null
  #count = 0

  constructor(data: StoringThreadData, options: StoringHostOptions) {
    this.#data = data
    this.#options = options
  }

  /** Starts the thread, for mails that will follow. */
  start(): void {
    this.#thread ??= this.#start()
  }

  /**
   * Resolves when the mails are announced, and on the disk unless it waits for their commit alone;
   * one outcome a mail, in order. Rejects with `BatchFailed` when the thread ends before.
   */
  store(
    batch: readonly MailToStore[],
    options: BatchOptions = { spool: null, until: 'synced' },
  ): Promise<readonly StoreOutcome[]> {
    const written = writeBatch(batch)
    return this.#ask((number) => {
      this.#send({ type: 'store', number, batch: written, options }, [written.bytes])
    })
  }

  /** Resolves when everything that the thread has stored is on the disk. */
  async sync(): Promise<void> {
    await this.#ask((number) => this.#send({ type: 'sync', number }))
  }

  #ask(send: (number: number) => void): Promise<readonly StoreOutcome[]> {
    const number = ++this.#count
    const answered = Promise.withResolvers<readonly StoreOutcome[]>()
    this.#running.set(number, answered)
    send(number)
    return answered.promise
  }

  /** Announces to the other threads. */
  announce(signal: Signal): void {
    this.#send({ type: 'announce', signal })
  }

  /** Ends the thread; call it when no mail is awaited any more. */
  async stop(): Promise<void> {
    const thread = this.#thread
    if (thread === null) return
    const ended = new Promise<unknown>((resolve) => thread.once('exit', resolve))
    this.#send({ type: 'stop' })
    this.#thread = null
    const timer = setTimeout(() => thread.terminate(), STOP_MS)
    await ended
    clearTimeout(timer)
  }

  #send(message: StoringThreadMessage, transfer: ArrayBuffer[] = []): void {
    this.#thread ??= this.#start()
    this.#thread.postMessage(message, transfer)
  }

  #start(): Worker {
    const file = this.#options.file ?? new URL('./storing-thread.ts', import.meta.url)
    const thread = startThread(file, { workerData: this.#data })
    thread.on('error', (error) => this.#fail(thread, error))
    thread.on('exit', () => this.#fail(thread, new Error('the thread that stores mails ended')))
    thread.on('message', (message: StoringThreadMessage) => {
      if (message.type === 'stored') this.#settle(message.number)?.resolve(message.outcomes)
      if (message.type !== 'failed') return
      const error = new StorageUnavailable(message.reason, message.full, message.isUncertain)
      this.#settle(message.number)?.reject(error)
    })
    return thread
  }

  #fail(thread: Worker, error: unknown): void {
    // It may have been stopped, or have failed before.
    if (this.#thread !== thread) return
    this.#thread = null
    this.#options.onCrash(error)
    for (const number of this.#running.keys()) {
      this.#settle(number)?.reject(new BatchFailed(error))
    }
  }

  #settle(number: number): PromiseWithResolvers<readonly StoreOutcome[]> | undefined {
    const running = this.#running.get(number)
    this.#running.delete(number)
    return running
  }
}

/** The storing thread of a service; it is not started yet. */
export function createStoringThread(
  { options, signalsName, number, backlogMemory }: ReceivingThreadData,
  log: Log,
): StoringThread {
  const { config, hostName } = options
  const onCrash = (error: unknown) =>
    log.error({ err: error }, 'the thread that stores mails ended; it is started again')
  const data = {
    databaseUrl: config.MAYFLY_DATABASE_URL,
    signalsName,
    number,
    backlogMemory,
    hostName,
    isScanned: config.MAYFLY_CLAMD !== null,
    logLevel: config.MAYFLY_LOG_LEVEL,
  }
  return new StoringThread(data, { onCrash })
}
