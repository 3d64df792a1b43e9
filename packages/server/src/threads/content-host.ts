// Calls of the content thread.
//
// One call runs at a time, so that it is known which one takes too long. The others wait, and the
// accounts take turns. A call that takes too long ends the thread; the next call starts another.
// What such a call asked for is refused for a while.

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { AccountId, ErrorCode } from '@mayfly/contract'
import type { Content } from '../assembly/content.ts'
import { ServiceError, type ServiceErrorDetail, StorageUnavailable } from '../errors.ts'
import type { SendResult } from '../features/compat/mailpit/send.ts'
import { ownBytes } from './own-bytes.ts'
import { Turns } from './turns.ts'
import { startThread } from './worker.ts'

/** What the content thread is started with. */
export type ContentThreadData = {
  readonly databaseUrl: string
  /** The database past a pooler; null when `databaseUrl` is none. */
  readonly directUrl: string | null
}

/** The messages between the content thread and the thread that started it. */
export type ContentThreadMessage =
  | {
      readonly type: 'call'
      readonly name: keyof Content
      readonly owner: AccountId
      readonly request: unknown
    }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: WrittenError }
  | { readonly type: 'left'; readonly error: WrittenError }
  | { readonly type: 'stop' }

/** An error as it is sent between threads, which keep neither class nor fields of an error. */
type WrittenError =
  | { readonly kind: 'service'; readonly code: ErrorCode; readonly detail: ServiceErrorDetail }
  | ({ readonly kind: 'storage' } & Pick<StorageUnavailable, 'cause' | 'full' | 'isUncertain'>)
  | { readonly kind: 'other'; readonly cause: unknown }

/** What the host is started with. */
export type ContentHostOptions = ContentThreadData & {
  /** Called when a call has taken too long, or has ended the thread. */
  readonly onFailure: (failure: { readonly call: string; readonly error: unknown }) => void
  /** As of the thread's store. */
  readonly onLeft?: (error: unknown) => void
  /** Processor time that one call may take. */
  readonly cpuMsMax?: number
  readonly threadUrl?: URL
}

/** The content functions in a thread of their own. */
export type ContentHost = { readonly content: Content; stop(): Promise<void> }

type Asked = {
  readonly name: keyof Content
  readonly owner: AccountId
  readonly request: unknown
  /** Buffers of the request that are handed over to the thread. */
  readonly transfer: ArrayBuffer[]
}

type Call = Asked & {
  readonly key: string
  readonly answer: PromiseWithResolvers<unknown>
}

/**
 * Processor time that one call may take. The largest mail takes 3 s in its slowest call.
 *
 * Not time on the clock: on a machine that is busy with other things, harmless calls would fail.
 */
const CPU_MS_MAX = 6_000

/** Longest time of one call on the clock, in case it waits for something. */
const CALL_MS_MAX = 60_000

/** How often the time of a call is looked at. */
const CHECK_MS = 500

/** How long a call is refused after it took too long. */
const REFUSED_MS = 60_000

/** Calls that wait: more than all waits of a node that are woken together. */
const WAITING_MAX = 20_000

/** Memory of the thread; above it the thread ends, and not the process. */
const MEMORY_MB_MAX = 1_024

/** Creates the host; the first call starts the thread. */
export function createContentHost(options: ContentHostOptions): ContentHost {
  const host = new Host(options)
  const call =
    <Name extends keyof Content>(name: Name) =>
    (owner: AccountId, request: Parameters<Content[Name]>[1]) =>
      // The thread runs the function of this name.
      host.run({ name, owner, request, transfer: [] }) as ReturnType<Content[Name]>
  return {
    content: {
      composeBody: call('composeBody'),
      composeFrame: call('composeFrame'),
      hasRemoteImages: call('hasRemoteImages'),
      readExcerpt: call('readExcerpt'),
      checkMessage: call('checkMessage'),
      findMatch: call('findMatch'),
      findInAccount: call('findInAccount'),
      searchInbox: call('searchInbox'),
      explainMismatches: call('explainMismatches'),
      composeHtmlCheck: call('composeHtmlCheck'),
      explainCode: call('explainCode'),
      readRaw: call('readRaw'),
      readLines: call('readLines'),
      readPart: call('readPart'),
      composeThumbnail: call('composeThumbnail'),
      purgeInbox: call('purgeInbox'),
      deleteMessages: call('deleteMessages'),
      deleteMails: call('deleteMails'),
      searchCaught: call('searchCaught'),
      findNewest: call('findNewest'),
      countTags: call('countTags'),
      replaceTag: call('replaceTag'),
      composeMailpit: call('composeMailpit'),
      composeMailHog: call('composeMailHog'),
      composeMailDev: call('composeMailDev'),
      listUrls: call('listUrls'),
      sendMail: (owner, given) => {
        // Handed over instead of copied, and not as a Buffer: JSON would write out its bytes.
        const request = { ...given, body: ownBytes(given.body) }
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
  readonly #waiting = new Turns<AccountId, Call>()
  /** Calls that wait, by what they ask for: the same is asked only once. */
  readonly #waitingByKey = new Map<string, Call>()
  /** What took too long, and until when it is refused. */
  readonly #refused = new Map<string, NodeJS.Timeout>()
  #thread: Worker | null = null
  #running: { readonly call: Call; readonly checks: NodeJS.Timeout } | null = null
  #isStopped = false

  constructor(options: ContentHostOptions) {
    this.#options = options
  }

  run(asked: Asked): Promise<unknown> {
    const { name, owner, request } = asked
    if (this.#isStopped) return Promise.reject(new ServiceError('shutting_down'))
    const key = `${name} ${owner} ${JSON.stringify(request, withoutBytes)}`
    const same = this.#waitingByKey.get(key)
    if (same !== undefined) return same.answer.promise
    if (this.#refused.has(key) || this.#waitingByKey.size >= WAITING_MAX) {
      return Promise.reject(new ServiceError('content_unavailable'))
    }
    const call = { ...asked, key, answer: Promise.withResolvers<unknown>() }
    this.#waitingByKey.set(key, call)
    this.#waiting.add(owner, call)
    this.#runNext()
    return call.answer.promise
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { answer } of this.#waitingByKey.values()) {
      answer.reject(new ServiceError('shutting_down'))
    }
    this.#waiting.clear()
    this.#waitingByKey.clear()
    for (const timer of this.#refused.values()) clearTimeout(timer)
    const thread = this.#thread
    if (thread === null) return
    if (this.#running !== null) {
      this.#settle()?.answer.reject(new ServiceError('shutting_down'))
      await thread.terminate()
      return
    }
    const ended = once(thread, 'exit')
    const message: ContentThreadMessage = { type: 'stop' }
    thread.postMessage(message)
    await ended
  }

  #runNext(): void {
    if (this.#running !== null || this.#isStopped) return
    const call = this.#waiting.take()
    if (call === null) return
    this.#waitingByKey.delete(call.key)
    this.#thread ??= this.#start()
    this.#running = { call, checks: this.#watch(this.#thread, call) }
    const { name, owner, request, transfer } = call
    const message: ContentThreadMessage = { type: 'call', name, owner, request }
    this.#thread.postMessage(message, transfer)
  }

  #start(): Worker {
    const { databaseUrl, directUrl } = this.#options
    const workerData: ContentThreadData = { databaseUrl, directUrl }
    const url = this.#options.threadUrl ?? new URL('./content-thread.ts', import.meta.url)
    const thread = startThread(url, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
    })
    thread.on('message', (message: ContentThreadMessage) => {
      if (message.type === 'left') this.#options.onLeft?.(readError(message.error))
      if (message.type === 'done') this.#settle()?.answer.resolve(message.result)
      else if (message.type === 'failed') this.#settle()?.answer.reject(readError(message.error))
      this.#runNext()
    })
    thread.on('error', (error) => {
      if (this.#thread === thread) this.#fail(error)
    })
    return thread
  }

  /** Looks at the time of a call until it is settled. */
  #watch(thread: Worker, call: Call): NodeJS.Timeout {
    const cpuMsMax = this.#options.cpuMsMax ?? CPU_MS_MAX
    let callMs = 0
    let startedAtMs: number | null = null
    const check = async () => {
      callMs += CHECK_MS
      // Rejected until the thread has started.
      const usage = await thread.cpuUsage().catch(() => null)
      if (this.#running?.call !== call) return
      const cpuMs = usage === null ? 0 : (usage.user + usage.system) / 1_000
      if (usage !== null) startedAtMs ??= cpuMs
      const usedMs = cpuMs - (startedAtMs ?? cpuMs)
      if (usedMs > cpuMsMax || callMs > CALL_MS_MAX) {
        this.#fail(new Error(`The call took ${usedMs} ms of processor time within ${callMs} ms.`))
      }
    }
    return setInterval(check, CHECK_MS)
  }

  /** Ends the thread and the call that it runs. */
  #fail(error: unknown): void {
    const thread = this.#thread
    this.#thread = null
    void thread?.terminate()
    const call = this.#settle()
    if (call !== null) {
      this.#options.onFailure({ call: call.key, error })
      const again = setTimeout(() => this.#refused.delete(call.key), REFUSED_MS)
      this.#refused.set(call.key, again.unref())
      call.answer.reject(new ServiceError('content_unavailable'))
    }
    this.#runNext()
  }

  /** Takes the running call away. */
  #settle(): Call | null {
    const running = this.#running
    this.#running = null
    if (running === null) return null
    clearInterval(running.checks)
    return running.call
  }
}

/** Bytes are not written into a key: a request that has some has an id of its own, too. */
function withoutBytes(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? null : value
}

/** An error in a form that can be sent to another thread. */
export function writeError(error: unknown): WrittenError {
  if (error instanceof ServiceError) {
    return { kind: 'service', code: error.code, detail: error.detail }
  }
  if (error instanceof StorageUnavailable) {
    const { cause, full, isUncertain } = error
    return { kind: 'storage', cause, full, isUncertain }
  }
  return { kind: 'other', cause: error }
}

function readError(written: WrittenError): unknown {
  if (written.kind === 'service') return new ServiceError(written.code, written.detail)
  if (written.kind === 'storage') {
    return new StorageUnavailable(written.cause, written.full, written.isUncertain)
  }
  return written.cause
}
