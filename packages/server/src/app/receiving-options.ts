import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import type { StoreBatch } from '../receiving/mail-storing.ts'
import type { ReceiveDeps } from '../receiving/receive.ts'

/** The settings of a receiving thread. */
export type ReceivingOptions = {
  readonly config: Config
  readonly hostName: string
  readonly operatorAddress: string
  /** The account whose catch-all inbox gets mail without credentials; null without one. */
  readonly catchAllOwner: AccountId | null
  readonly port: number
  /** Counts that all receiving threads share. */
  readonly usageMemory: SharedArrayBuffer
  readonly tls: { readonly cert: string; readonly key: string } | null
}

/** The options of a receiving thread. */
export type ReceivingThreadData = {
  readonly options: ReceivingOptions
  /** Name of the channel for signals between threads of this process. */
  readonly signalsName: string
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
}

/** The calls of a receiving thread to other threads. */
export type ReceivingHelpers = Pick<ReceiveDeps, 'composeLarge'> & {
  readonly log: Log
  /** The thread that stores mails on SQLite; null on PostgreSQL. */
  readonly storing: {
    /** Starts the thread, for mails that will follow. */
    start(): void
    readonly storeBatch: StoreBatch
  } | null
}
