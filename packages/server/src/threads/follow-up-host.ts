import type { Worker } from 'node:worker_threads'
import type { MessageAuth } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { CheckInterrupted } from '../errors.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { elapsedMs } from '../platform/clock.ts'
import { startThread } from './worker.ts'

/** Follows up on stored mails. */
export type FollowUp = {
  /** Mails were stored: scans their attachments. */
  stored(): void
  /** The verdicts on the sender of a mail; null when it was deleted or has verdicts already. */
  check(mailId: string): Promise<MessageAuth | null>
  /** Throws when the storage does not answer to it. */
  ping(): Promise<void>
  stop(): Promise<void>
}

/** What the follow-up thread is started with. */
export type FollowUpThreadData = { readonly config: Config; readonly hostName: string }

/** The messages between the follow-up thread and the thread that started it. */
export type FollowUpThreadMessage =
  | { readonly type: 'stored' }
  | { readonly type: 'check'; readonly number: number; readonly mailId: string }
  | {
      readonly type: 'checked'
      readonly number: number
      readonly auth: MessageAuth | null
      readonly error: string | null
    }
  | { readonly type: 'ping' }
  | { readonly type: 'pinged'; readonly error: string | null }
  | { readonly type: 'found'; readonly number: number; readonly finding: AttachmentFinding }
  | { readonly type: 'recorded'; readonly number: number; readonly error: string | null }
  | { readonly type: 'stop' }

/** What the host does for the thread. */
export type FollowUpHostOptions = {
  /** Resolves once the finding is stored. */
  readonly record: (finding: AttachmentFinding) => Promise<unknown>
  /** The thread crashed, or was ended because it did not respond. It is started again. */
  readonly onCrash: (error: unknown) => void
  /** The thread's file; for tests. */
  readonly file?: URL
  readonly silenceMsMax?: number
}

/** Longest silence of the thread during a check; each check answers within 8 s. */
const SILENCE_MS_MAX = 16_000

/** Longest wait for a ping: the priority of the thread is low, and it may be loading. */
const PING_MS_MAX = 1_000

/** Time until a thread that crashed is started again, if nothing needs it earlier. */
const RESTART_MS = 5_000

/** Time for the thread to end by itself when the service stops. */
const STOP_MS = 2_000

/**
 * Follows up on stored mails in a thread of its own, which the first mail starts.
 *
 * When the thread crashes, or does not respond during a check, it is ended and its checks are
 * rejected with CheckInterrupted; the next call starts another.
 */
export class FollowUpThread implements FollowUp {
  readonly #data: FollowUpThreadData
  readonly #options: FollowUpHostOptions
  readonly #checks = new Map<number, PromiseWithResolvers<MessageAuth | null>>()
  /** The ping that the thread has not answered yet. */
  #pinged: PromiseWithResolvers<void> | null = null
  #thread: Worker | null = null
  /** When it was started, or its last message came. */
  #heardAtMs = 0
  #checkCount = 0
  /** Runs while there are checks, from the last message of the thread. */
  #silenceTimer: NodeJS.Timeout | undefined
  #restartTimer: NodeJS.Timeout | undefined

  constructor({ config, hostName }: FollowUpThreadData, options: FollowUpHostOptions) {
    this.#data = { config, hostName }
    this.#options = options
  }

  stored(): void {
    this.#send({ type: 'stored' })
  }

  check(mailId: string): Promise<MessageAuth | null> {
    const { silenceMsMax = SILENCE_MS_MAX } = this.#options
    this.#checkCount += 1
    const check = Promise.withResolvers<MessageAuth | null>()
    this.#checks.set(this.#checkCount, check)
    this.#silenceTimer ??= setTimeout(() => this.#endSilent(silenceMsMax), silenceMsMax)
    this.#send({ type: 'check', number: this.#checkCount, mailId })
    return check.promise
  }

  /**
   * A thread that does not run is started with the next mail: nothing is wrong with it. Nor with
   * one that is busy, unless it has been silent for too long.
   */
  async ping(): Promise<void> {
    if (this.#thread === null) return
    if (this.#pinged === null) {
      this.#pinged = Promise.withResolvers<void>()
      this.#send({ type: 'ping' })
    }
    const { silenceMsMax = SILENCE_MS_MAX } = this.#options
    const { promise: busy, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      if (elapsedMs() - this.#heardAtMs < silenceMsMax) resolve()
    }, PING_MS_MAX)
    try {
      await Promise.race([this.#pinged.promise, busy])
    } finally {
      clearTimeout(timer)
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#restartTimer)
    const thread = this.#thread
    this.#forget()
    if (thread === null) return
    const ended = new Promise<unknown>((resolve) => thread.once('exit', resolve))
    const timer = setTimeout(() => thread.terminate(), STOP_MS)
    thread.postMessage({ type: 'stop' } satisfies FollowUpThreadMessage)
    await ended
    clearTimeout(timer)
  }

  #send(message: FollowUpThreadMessage): void {
    clearTimeout(this.#restartTimer)
    this.#thread ??= this.#start()
    this.#thread.postMessage(message)
  }

  #start(): Worker {
    const file = this.#options.file ?? new URL('./follow-up-thread.ts', import.meta.url)
    const thread = startThread(file, { workerData: this.#data })
    this.#heardAtMs = elapsedMs()
    thread.on('error', this.#options.onCrash)
    thread.on('exit', () => {
      if (this.#thread !== thread) return
      this.#forget()
      this.#restartTimer = setTimeout(() => this.stored(), RESTART_MS)
    })
    thread.on('message', (message: FollowUpThreadMessage) => {
      this.#silenceTimer?.refresh()
      this.#heardAtMs = elapsedMs()
      if (message.type === 'checked') this.#settle(message)
      if (message.type === 'pinged') this.#settlePing(message.error)
      if (message.type === 'found') this.#record(thread, message)
    })
    return thread
  }

  #settle({ number, auth, error }: Extract<FollowUpThreadMessage, { type: 'checked' }>): void {
    if (error === null) this.#checks.get(number)?.resolve(auth)
    else this.#checks.get(number)?.reject(new Error(error))
    this.#checks.delete(number)
    if (this.#checks.size === 0) this.#stopSilenceTimer()
  }

  #settlePing(error: string | null): void {
    if (error === null) this.#pinged?.resolve()
    else this.#pinged?.reject(new Error(error))
    this.#pinged = null
  }

  #record(
    thread: Worker,
    { number, finding }: Extract<FollowUpThreadMessage, { type: 'found' }>,
  ): void {
    const answer = (error: string | null) =>
      thread.postMessage({ type: 'recorded', number, error } satisfies FollowUpThreadMessage)
    this.#options.record(finding).then(
      () => answer(null),
      (error: unknown) => answer(String(error)),
    )
  }

  #endSilent(silenceMs: number): void {
    const thread = this.#thread
    this.#forget()
    const error = new Error(`the follow-up thread did not respond for ${silenceMs / 1000} s`)
    this.#options.onCrash(error)
    thread?.terminate().catch(this.#options.onCrash)
  }

  #forget(): void {
    this.#thread = null
    this.#stopSilenceTimer()
    const checks = [...this.#checks.values()]
    this.#checks.clear()
    for (const { reject } of checks) reject(new CheckInterrupted('the thread was ended'))
    this.#settlePing('the thread has ended')
  }

  #stopSilenceTimer(): void {
    clearTimeout(this.#silenceTimer)
    this.#silenceTimer = undefined
  }
}
