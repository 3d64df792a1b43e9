// A thread, as the thread that starts it uses it.
//
//   stopped   `start`, or the next call, starts it; after a crash also `restartMs`.
//   running   It runs calls. When it ends by itself, could not start, or was silent for too long
//             during a call, that is a crash: its calls are rejected with ThreadEnded, and it is
//             stopped.

import type { Worker } from 'node:worker_threads'
import { ThreadEnded } from '../errors.ts'
import { elapsedMs } from '../platform/clock.ts'
import {
  type FromThread,
  readError,
  type ThreadCalls,
  type ToThread,
  writeThreadLine,
} from './thread-protocol.ts'
import { startThread } from './worker.ts'

/** How a thread is hosted. */
export type HostedThreadOptions = {
  readonly file: URL
  /** The options of the thread. */
  readonly data: () => unknown
  readonly onCrash: (error: unknown) => void
  readonly onEvent?: (event: unknown) => void
  /** Above it the thread ends, and not the process. */
  readonly memoryMbMax?: number
  /** Longest silence of the thread while a call is running. */
  readonly silenceMsMax?: number
  /** Time until it is started again after a crash; without it, the next call starts it. */
  readonly restartMs?: number
}

/** Time for a thread to end after the request. */
const STOP_MS = 2_000

/** A thread with these functions. */
export class HostedThread<Calls extends ThreadCalls> {
  readonly #options: HostedThreadOptions
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>()
  #worker: Worker | null = null
  #ready = Promise.withResolvers<unknown>()
  #isReady = false
  #isStopped = false
  #count = 0
  #heardAtMs = 0
  #silenceTimer: NodeJS.Timeout | undefined
  #restartTimer: NodeJS.Timeout | undefined

  constructor(options: HostedThreadOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Time since it was started, or sent its last message. */
  get silentMs(): number {
    return elapsedMs() - this.#heardAtMs
  }

  /** Starts the thread, unless it runs; resolves with its result once it is ready. */
  start(): Promise<unknown> {
    clearTimeout(this.#restartTimer)
    if (this.#worker === null) this.#startWorker()
    return this.#ready.promise
  }

  /** Calls a function of the thread. Rejects with the function's error, or with ThreadEnded. */
  call<Name extends string & keyof Calls>(
    name: Name,
    request: Parameters<Calls[Name]>[0],
    transfer: readonly ArrayBuffer[] = [],
  ): ReturnType<Calls[Name]> {
    if (this.#isStopped) throw new Error('the thread was stopped')
    // Failures reject the call.
    this.start().catch(() => {})
    const number = ++this.#count
    const response = Promise.withResolvers<unknown>()
    this.#calls.set(number, response)
    const message: ToThread = { type: 'call', number, name, request }
    this.#worker?.postMessage(message, transfer)
    this.#watchSilence()
    // The thread runs the function of this name.
    return response.promise as ReturnType<Calls[Name]>
  }

  /** The processor time of the thread; null until it has started. */
  async cpuMs(): Promise<number | null> {
    const usage = await this.#worker?.cpuUsage().catch(() => null)
    return usage === undefined || usage === null ? null : (usage.user + usage.system) / 1_000
  }

  /** Ends it as after a crash. */
  crash(error: unknown): void {
    const worker = this.#worker
    if (worker === null) return
    this.#worker = null
    this.#isReady = false
    this.#options.onCrash(error)
    this.#ready.reject(error)
    this.#rejectCalls(error)
    worker.terminate().catch(this.#options.onCrash)
    if (this.#options.restartMs === undefined || this.#isStopped) return
    // When it fails, that is the next crash.
    const restart = () => this.start().catch(() => {})
    this.#restartTimer = setTimeout(restart, this.#options.restartMs)
  }

  /** Ends the thread; it has `graceMs` to finish its work. */
  async stop(graceMs = 0): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#restartTimer)
    const worker = this.#worker
    if (worker === null) return
    const ended = new Promise<unknown>((resolve) => worker.once('exit', resolve))
    const message: ToThread = { type: 'stop', graceMs }
    worker.postMessage(message)
    const timer = setTimeout(() => worker.terminate(), graceMs + STOP_MS)
    await ended
    clearTimeout(timer)
    this.#worker = null
    this.#rejectCalls(new Error('the thread was stopped'))
  }

  #startWorker(): void {
    const { file, data, memoryMbMax, onEvent } = this.#options
    const worker = startThread(file, {
      workerData: data(),
      ...(memoryMbMax === undefined
        ? {}
        : { resourceLimits: { maxOldGenerationSizeMb: memoryMbMax } }),
    })
    this.#worker = worker
    this.#isReady = false
    this.#ready = Promise.withResolvers()
    // Not everybody waits for it.
    this.#ready.promise.catch(() => {})
    this.#heardAtMs = elapsedMs()
    const crash = (error: unknown) => {
      if (this.#worker === worker && !this.#isStopped) this.crash(error)
    }
    worker.on('error', crash)
    worker.on('exit', () => crash(new Error('the thread ended')))
    worker.on('message', (message: FromThread) => {
      if (message.type === 'log') return writeThreadLine(message.line)
      if (this.#worker !== worker) return
      this.#heardAtMs = elapsedMs()
      if (message.type === 'unable') return crash(readError(message.error))
      if (message.type === 'event') onEvent?.(message.event)
      if (message.type === 'ready') {
        this.#isReady = true
        this.#ready.resolve(message.value)
      }
      if (message.type === 'done') this.#take(message.number)?.resolve(message.result)
      if (message.type === 'failed') this.#take(message.number)?.reject(readError(message.error))
      this.#watchSilence()
    })
  }

  #take(number: number): PromiseWithResolvers<unknown> | undefined {
    const call = this.#calls.get(number)
    this.#calls.delete(number)
    return call
  }

  #rejectCalls(error: unknown): void {
    clearTimeout(this.#silenceTimer)
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const { reject } of calls) reject(new ThreadEnded(error))
  }

  /** From now on, if it runs calls. */
  #watchSilence(): void {
    clearTimeout(this.#silenceTimer)
    const { silenceMsMax } = this.#options
    if (silenceMsMax === undefined || this.#calls.size === 0 || !this.#isReady) return
    const crash = () => this.crash(new Error(`the thread did not respond for ${silenceMsMax} ms`))
    this.#silenceTimer = setTimeout(crash, silenceMsMax)
  }
}
