import type { MessageAuth } from '@mayfly/contract'
import type { FollowUp } from '../app/follow-up.ts'
import type { Config } from '../config/config.ts'
import { CheckInterrupted, ThreadEnded } from '../errors.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { HostedThread } from './hosted-thread.ts'

/** The options of the follow-up thread. */
export type FollowUpThreadData = {
  readonly config: Config
  readonly hostName: string
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
}

/** The calls of the thread. */
export type FollowUpCalls = {
  readonly stored: (request: null) => Promise<void>
  readonly check: (mailId: string) => Promise<MessageAuth | null>
  readonly ping: (request: null) => Promise<void>
  /** The response of the host to a finding. */
  readonly recorded: (answer: {
    readonly number: number
    readonly error: string | null
  }) => Promise<void>
}

/** A finding of the thread, which the host stores. */
export type FoundEvent = { readonly number: number; readonly finding: AttachmentFinding }

/** The calls of the thread to the host. */
export type FollowUpHostOptions = {
  /** Resolves once the finding is stored. */
  readonly record: (finding: AttachmentFinding) => Promise<unknown>
  /** The thread crashed, or was ended because it did not respond. It is started again. */
  readonly onCrash: (error: unknown) => void
  /** The thread's file; for tests. */
  readonly file?: URL
  readonly silenceMsMax?: number
}

/** Longest silence of the thread during a check; each check ends within 8 s. */
const SILENCE_MS_MAX = 16_000

/** Longest wait for a ping: the priority of the thread is low, and it may be loading. */
const PING_MS_MAX = 1_000

/** Time until a thread that crashed is started again, if nothing needs it earlier. */
const RESTART_MS = 5_000

/**
 * Follows up on stored mails in a thread of its own, which the first mail starts.
 *
 * When the thread crashes, or does not respond during a check, its checks are rejected with
 * CheckInterrupted.
 */
export class FollowUpThread implements FollowUp {
  readonly #options: FollowUpHostOptions
  readonly #silenceMsMax: number
  readonly #thread: HostedThread<FollowUpCalls>
  /** The ping without a response of the thread. */
  #pinged: Promise<void> | null = null

  constructor({ config, hostName, clockMemory }: FollowUpThreadData, options: FollowUpHostOptions) {
    const data: FollowUpThreadData = { config, hostName, clockMemory }
    this.#options = options
    this.#silenceMsMax = options.silenceMsMax ?? SILENCE_MS_MAX
    this.#thread = new HostedThread({
      file: options.file ?? new URL('./follow-up-thread.ts', import.meta.url),
      data: () => data,
      onCrash: options.onCrash,
      // The thread sends no other.
      onEvent: (event) => void this.#record(event as FoundEvent),
      silenceMsMax: this.#silenceMsMax,
      restartMs: RESTART_MS,
    })
  }

  stored(): void {
    // A thread that ends searches for its open work at its next start.
    this.#thread.call('stored', null).catch(() => {})
  }

  async check(mailId: string): Promise<MessageAuth | null> {
    try {
      return await this.#thread.call('check', mailId)
    } catch (error) {
      throw error instanceof ThreadEnded ? new CheckInterrupted('the thread was ended') : error
    }
  }

  /**
   * A stopped thread is healthy: the next mail starts it. So is a busy one, unless it has been
   * silent for too long.
   */
  async ping(): Promise<void> {
    if (!this.#thread.isRunning) return
    this.#pinged ??= this.#thread.call('ping', null).finally(() => {
      this.#pinged = null
    })
    const { promise: busy, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      if (this.#thread.silentMs < this.#silenceMsMax) resolve()
    }, PING_MS_MAX)
    try {
      await Promise.race([this.#pinged, busy])
    } finally {
      clearTimeout(timer)
    }
  }

  stop(): Promise<void> {
    return this.#thread.stop()
  }

  async #record({ number, finding }: FoundEvent): Promise<void> {
    const error = await this.#options.record(finding).then(() => null, String)
    // It may have ended meanwhile.
    await this.#thread.call('recorded', { number, error }).catch(() => {})
  }
}
