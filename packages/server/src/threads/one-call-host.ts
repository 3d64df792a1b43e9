// Calls of a thread that runs one at a time, so that it is known which one takes too long. The
// others wait, and the accounts alternate. A call that takes too long ends the thread; the next
// call starts another. The same call is then refused for a while.

import type { AccountId } from '@mayfly/contract'
import { ServiceError, ThreadEnded } from '../errors.ts'
import { FairQueue } from './fair-queue.ts'
import { HostedThread } from './hosted-thread.ts'
import type { ThreadCalls } from './thread-protocol.ts'

/** A call of the thread. */
export type HostCall<Name> = {
  readonly name: Name
  readonly owner: AccountId
  readonly request: unknown
  /** Buffers of the request that are handed over to the thread. */
  readonly transfer: readonly ArrayBuffer[]
}

/** The argument of each function of the thread. */
export type OwnedRequest = Pick<HostCall<string>, 'owner' | 'request'>

/** The options of the host. */
export type OneCallOptions = {
  readonly file: URL
  readonly data: unknown
  /** Called when a call has taken too long, or has ended the thread. */
  readonly onFailure: (failure: { readonly call: string; readonly error: unknown }) => void
  readonly onEvent?: (event: unknown) => void
  /** Processor time that one call may take. */
  readonly cpuMsMax?: number | undefined
}

/**
 * Processor time that one call may take. The largest mail takes 3 s in its slowest call.
 *
 * Not time on the clock: on a machine that is busy with other things, harmless calls would fail.
 */
const CPU_MS_MAX = 6_000

/** Longest silence of the thread during a call, in case it waits for something. */
const SILENCE_MS_MAX = 60_000

/** How often the time of a call is checked. */
const CHECK_MS = 500

/** How long a call is refused after it took too long. */
const REFUSED_MS = 60_000

/** Calls that wait: more than all waits of a node that are woken together. */
const WAITING_MAX = 20_000

/** Memory of the thread; above it the thread ends, and not the process. */
const MEMORY_MB_MAX = 1_024

/** A thread that runs one call at a time. */
export class OneCallHost<Calls extends ThreadCalls> {
  readonly #options: OneCallOptions
  readonly #thread: HostedThread<Calls>
  readonly #queue = new FairQueue<AccountId>()
  /** Waiting calls by their arguments: equal calls share one run. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  /** The calls that took too long, and until when they are refused. */
  readonly #refused = new Map<string, NodeJS.Timeout>()
  #isStopped = false

  constructor(options: OneCallOptions) {
    this.#options = options
    this.#thread = new HostedThread({
      file: options.file,
      data: () => options.data,
      // The running call is rejected with the error.
      onCrash: () => {},
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      memoryMbMax: MEMORY_MB_MAX,
      silenceMsMax: SILENCE_MS_MAX,
    })
  }

  run(call: HostCall<string & keyof Calls>): Promise<unknown> {
    const { name, owner, request } = call
    if (this.#isStopped) return Promise.reject(new ServiceError('shutting_down'))
    const key = `${name} ${owner} ${JSON.stringify(request, withoutBytes)}`
    const same = this.#waiting.get(key)
    if (same !== undefined) return same
    if (this.#refused.has(key) || this.#waiting.size >= WAITING_MAX) {
      return Promise.reject(new ServiceError('content_unavailable'))
    }
    const result = this.#queue.run(owner, () => {
      this.#waiting.delete(key)
      return this.#call(call, key)
    })
    this.#waiting.set(key, result)
    return result
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#refused.values()) clearTimeout(timer)
    await this.#thread.stop()
  }

  async #call(
    { name, owner, request, transfer }: HostCall<string & keyof Calls>,
    key: string,
  ): Promise<unknown> {
    if (this.#isStopped) throw new ServiceError('shutting_down')
    using _watch = this.#watchProcessorTime()
    try {
      // The caller knows the argument of the function that it names.
      const argument = { owner, request } as Parameters<Calls[typeof name]>[0]
      return await this.#thread.call(name, argument, transfer)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      if (this.#isStopped) throw new ServiceError('shutting_down')
      this.#options.onFailure({ call: key, error: error.cause })
      const again = setTimeout(() => this.#refused.delete(key), REFUSED_MS)
      this.#refused.set(key, again.unref())
      throw new ServiceError('content_unavailable')
    }
  }

  /** Ends the thread when the call that it runs takes too much. */
  #watchProcessorTime(): Disposable {
    const { cpuMsMax = CPU_MS_MAX } = this.#options
    let startedAtMs: number | null = null
    let isOver = false
    const timer = setInterval(async () => {
      const cpuMs = await this.#thread.cpuMs()
      // Two answers may come at once: the second must not end the thread of the next call.
      if (cpuMs === null || isOver) return
      startedAtMs ??= cpuMs
      const usedMs = cpuMs - startedAtMs
      if (usedMs <= cpuMsMax) return
      isOver = true
      this.#thread.crash(new Error(`the call took ${usedMs} ms of processor time`))
    }, CHECK_MS)
    return {
      [Symbol.dispose]: () => {
        isOver = true
        clearInterval(timer)
      },
    }
  }
}

/** Bytes are not written into a key: a request that has some has an id of its own, too. */
function withoutBytes(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? null : value
}
