// Mails are composed and written to SQLite in a thread of their own, so that the dialogues of
// senders continue meanwhile. The first mail starts the thread, if it was not started before.

import type { ReceivingHelpers, ReceivingThreadData } from '../app/receiving-options.ts'
import type { Log } from '../platform/log.ts'
import type { StoreBatch } from '../receiving/mail-storing.ts'
import type { StoreOptions } from '../receiving/store-mails.ts'
import { HostedThread } from './hosted-thread.ts'
import { type MailBatch, writeBatch } from './mail-batch.ts'

/** The options of the thread. */
export type StoringThreadData = Pick<ReceivingThreadData, 'signalsName' | 'clockMemory'> & {
  readonly databaseUrl: string
  readonly hostName: string
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  readonly logLevel: string
}

/** The calls of the thread. */
export type StoringCalls = {
  readonly store: (request: {
    readonly batch: MailBatch
    readonly options: StoreOptions
  }) => ReturnType<StoreBatch>
}

/** A thread that stores mails. */
export type StoringThread = NonNullable<ReceivingHelpers['storing']> & {
  /** Ends the thread; call it when no mail is awaited any more. */
  stop(): Promise<void>
}

/** Longest silence of the thread: a batch takes less than a second, and a slow disk some more. */
const SILENCE_MS_MAX = 60_000

/** The storing thread of a receiving thread. */
export function createStoringThread(
  {
    options,
    signalsName,
    clockMemory,
  }: Pick<ReceivingThreadData, 'signalsName' | 'clockMemory'> & {
    readonly options: Pick<ReceivingThreadData['options'], 'config' | 'hostName'>
  },
  log: Log,
  file = new URL('./storing-thread.ts', import.meta.url),
): StoringThread {
  const { config, hostName } = options
  const data: StoringThreadData = {
    databaseUrl: config.MAYFLY_DATABASE_URL,
    signalsName,
    clockMemory,
    hostName,
    isScanned: config.MAYFLY_CLAMD !== null,
    logLevel: config.MAYFLY_LOG_LEVEL,
  }
  const thread = new HostedThread<StoringCalls>({
    file,
    data: () => data,
    onCrash: (error) =>
      log.error({ err: error }, 'the thread that stores mails ended; it is started again'),
    silenceMsMax: SILENCE_MS_MAX,
  })
  return {
    start: () => void thread.start().catch(() => {}),
    storeBatch: (batch, options) => {
      const written = writeBatch(batch)
      return thread.call('store', { batch: written, options }, [written.bytes])
    },
    stop: () => thread.stop(),
  }
}
