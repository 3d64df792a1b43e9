// Calls of the content thread.
//
// One call runs at a time, so that it is known which one takes too long. The others wait, and the
// accounts alternate. A call that takes too long ends the thread; the next call starts another. The
// same call is then refused for a while.

import type { AccountId } from '@mayfly/contract'
import type { Content } from '../app/content.ts'
import { ServiceError, ThreadEnded } from '../errors.ts'
import type { SendResult } from '../features/compat/mailpit/send.ts'
import { FairQueue } from './fair-queue.ts'
import { HostedThread } from './hosted-thread.ts'
import { readError, transferableBytes, type writeError } from './thread-protocol.ts'

/** The options of the content thread. */
export type ContentThreadData = {
  readonly databaseUrl: string
  /** The database past a pooler; null when `databaseUrl` is none. */
  readonly directUrl: string | null
  readonly logLevel: string
}

/** The calls of the thread: the functions of `Content`, with both arguments in one. */
type ContentCalls = Readonly<
  Record<keyof Content, (call: Pick<HostCall, 'owner' | 'request'>) => Promise<unknown>>
>

/** Why a call that succeeded could not delete everything, as an event of the thread. */
export type PurgeFailedEvent = ReturnType<typeof writeError>

/** The options of the host. */
export type ContentHostOptions = ContentThreadData & {
  /** Called when a call has taken too long, or has ended the thread. */
  readonly onFailure: (failure: { readonly call: string; readonly error: unknown }) => void
  /** As of the thread's store. */
  readonly onPurgeFailed?: (error: unknown) => void
  /** Processor time that one call may take. */
  readonly cpuMsMax?: number
  readonly threadUrl?: URL
}

/** The content functions in a thread of their own. */
export type ContentHost = { readonly content: Content; stop(): Promise<void> }

type HostCall = {
  readonly name: keyof Content
  readonly owner: AccountId
  readonly request: unknown
  /** Buffers of the request that are handed over to the thread. */
  readonly transfer: readonly ArrayBuffer[]
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

/** The functions of `Content` without `sendMail`: one that is missing does not compile. */
const CALLS = [
  'composeBody',
  'composeFrame',
  'hasRemoteImages',
  'readExcerpt',
  'checkMessage',
  'findMatch',
  'findInAccount',
  'searchInbox',
  'explainMismatches',
  'composeHtmlCheck',
  'explainCode',
  'readRaw',
  'readLines',
  'readPart',
  'composeThumbnail',
  'purgeInbox',
  'deleteMessages',
  'deleteMails',
  'searchCatchAll',
  'findNewest',
  'countTags',
  'replaceTag',
  'composeMailpit',
  'composeMailHog',
  'composeMailDev',
  'listUrls',
  'findPart',
] as const satisfies readonly (keyof Content)[]

/** Creates the host; the first call starts the thread. */
export function createContentHost(options: ContentHostOptions): ContentHost {
  const host = new Host(options)
  const calls = CALLS.map((name) => [
    name,
    (owner: AccountId, request: unknown) => host.run({ name, owner, request, transfer: [] }),
  ])
  return {
    content: {
      // The thread runs the function of each name.
      ...(Object.fromEntries(calls) as Pick<Content, (typeof CALLS)[number]>),
      sendMail: (owner, given) => {
        // Handed over instead of copied, and not as a Buffer: JSON would write out its bytes.
        const request = { ...given, body: transferableBytes(given.body) }
        const transfer = [request.body.buffer]
        // As above.
        return host.run({ name: 'sendMail', owner, request, transfer }) as Promise<SendResult>
      },
    },
    stop: () => host.stop(),
  }
}

class Host {
  readonly #options: ContentHostOptions
  readonly #thread: HostedThread<ContentCalls>
  readonly #queue = new FairQueue<AccountId>()
  /** Waiting calls by their arguments: equal calls share one run. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  /** The calls that took too long, and until when they are refused. */
  readonly #refused = new Map<string, NodeJS.Timeout>()
  #isStopped = false

  constructor(options: ContentHostOptions) {
    const { databaseUrl, directUrl, logLevel } = options
    const data: ContentThreadData = { databaseUrl, directUrl, logLevel }
    this.#options = options
    this.#thread = new HostedThread({
      file: options.threadUrl ?? new URL('./content-thread.ts', import.meta.url),
      data: () => data,
      // The running call is rejected with the error.
      onCrash: () => {},
      // The thread sends no other.
      onEvent: (failure) => options.onPurgeFailed?.(readError(failure as PurgeFailedEvent)),
      memoryMbMax: MEMORY_MB_MAX,
      silenceMsMax: SILENCE_MS_MAX,
    })
  }

  run(call: HostCall): Promise<unknown> {
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

  async #call({ name, owner, request, transfer }: HostCall, key: string): Promise<unknown> {
    if (this.#isStopped) throw new ServiceError('shutting_down')
    const watch = this.#watchProcessorTime()
    try {
      return await this.#thread.call(name, { owner, request }, transfer)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      if (this.#isStopped) throw new ServiceError('shutting_down')
      this.#options.onFailure({ call: key, error: error.cause })
      const again = setTimeout(() => this.#refused.delete(key), REFUSED_MS)
      this.#refused.set(key, again.unref())
      throw new ServiceError('content_unavailable')
    } finally {
      clearInterval(watch)
    }
  }

  /** Ends the thread when the call that it runs takes too much. */
  #watchProcessorTime(): NodeJS.Timeout {
    const { cpuMsMax = CPU_MS_MAX } = this.#options
    let startedAtMs: number | null = null
    return setInterval(async () => {
      const cpuMs = await this.#thread.cpuMs()
      if (cpuMs === null) return
      startedAtMs ??= cpuMs
      const usedMs = cpuMs - startedAtMs
      if (usedMs <= cpuMsMax) return
      this.#thread.crash(new Error(`the call took ${usedMs} ms of processor time`))
    }, CHECK_MS)
  }
}

/** Bytes are not written into a key: a request that has some has an id of its own, too. */
function withoutBytes(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? null : value
}
