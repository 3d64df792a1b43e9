// Large mails are parsed in a thread of their own, so that the dialogues of other senders go on.
//
// The first large mail starts the thread. One mail is composed at a time, so that it is known which
// one is to blame when the thread ends or takes too long. Then that mail is rejected, the thread is
// started again, and the others follow. The accounts of the recipients take turns.

import type { Worker } from 'node:worker_threads'
import type { AccountId } from '@mayfly/contract'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { NewMail } from '../store/tables/mails.ts'
import { ownBytes } from './own-bytes.ts'
import { Turns } from './turns.ts'
import { startThread } from './worker.ts'

/** What the thread is started with. */
export type ComposingThreadData = {
  readonly hostName: string
  readonly isScanned: boolean
  readonly logLevel: string
}

/** The messages between the thread and the thread that started it. */
export type ComposingThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'compose'; readonly arrived: ArrivedMail }
  | { readonly type: 'composed'; readonly mail: NewMail }

/** What the host is started with. */
export type ComposingHostOptions = {
  /** The thread ended by itself, or took too long and was ended. */
  readonly onCrash: (error: unknown) => void
  /** Longest time for one mail. */
  readonly mailMsMax?: number
  /** The thread's file; for tests. */
  readonly file?: URL
}

type Call = { readonly arrived: ArrivedMail; readonly composed: PromiseWithResolvers<NewMail> }

/** Longest time for one mail: the largest takes seconds, and SMTP clients wait for minutes. */
const MAIL_MS_MAX = 60_000

/** Memory of the thread; above it the thread ends, and not the process. */
const MEMORY_MB_MAX = 1_024

/** Composes mails in a thread of its own. */
export class ComposingThread {
  readonly #data: ComposingThreadData
  readonly #options: ComposingHostOptions
  readonly #waiting = new Turns<AccountId | null, Call>()
  #running: { readonly call: Call; readonly deadline: NodeJS.Timeout } | null = null
  #thread: Worker | null = null
  #isReady = false

  constructor(data: ComposingThreadData, options: ComposingHostOptions) {
    this.#data = data
    this.#options = options
  }

  /** Accounts take turns. Rejects when the thread ends while it composes this mail. */
  compose(owner: AccountId | null, arrived: ArrivedMail): Promise<NewMail> {
    const composed = Promise.withResolvers<NewMail>()
    this.#waiting.add(owner, { arrived, composed })
    this.#next()
    return composed.promise
  }

  /** Ends the thread; call it when no mail is awaited any more. */
  async stop(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  #next(): void {
    if (this.#running !== null || this.#waiting.isEmpty) return
    this.#thread ??= this.#start()
    if (this.#isReady) this.#send(this.#thread)
  }

  #send(thread: Worker): void {
    const call = this.#waiting.take()
    if (call === null) return
    const { mailMsMax = MAIL_MS_MAX } = this.#options
    const overdue = () => this.#fail(thread, new Error(`a mail took more than ${mailMsMax} ms`))
    this.#running = { call, deadline: setTimeout(overdue, mailMsMax) }
    const { accepted } = call.arrived
    const raw = ownBytes(accepted.raw)
    const arrived = { ...call.arrived, accepted: { ...accepted, raw } }
    thread.postMessage({ type: 'compose', arrived }, [raw.buffer])
  }

  #start(): Worker {
    const file = this.#options.file ?? new URL('./composing-thread.ts', import.meta.url)
    const thread = startThread(file, {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
    })
    thread.on('error', (error) => this.#fail(thread, error))
    thread.on('exit', () => this.#fail(thread, new Error('the thread ended')))
    thread.on('message', (message: ComposingThreadMessage) => {
      if (this.#thread !== thread) return
      if (message.type === 'ready') this.#isReady = true
      if (message.type === 'composed') this.#settle()?.composed.resolve(message.mail)
      this.#next()
    })
    return thread
  }

  #fail(thread: Worker, error: unknown): void {
    // It may have been ended or stopped before.
    if (this.#thread !== thread) return
    this.#thread = null
    this.#isReady = false
    this.#options.onCrash(error)
    thread.terminate().catch(this.#options.onCrash)
    // One that waits, when the thread did not even start: it must not be started for ever.
    const call = this.#settle() ?? this.#waiting.take()
    call?.composed.reject(error)
    this.#next()
  }

  #settle(): Call | null {
    const running = this.#running
    this.#running = null
    if (running === null) return null
    clearTimeout(running.deadline)
    return running.call
  }
}
