// Large mails are composed in a thread of their own, so that the dialogues of other senders
// continue.
//
// The first large mail starts the thread. One mail is composed at a time, so that the cause is
// known when the thread ends or takes too long: that mail is refused, the others follow.

import type { AccountId } from '@mayfly/contract'
import type { ReceivingOptions } from '../app/receiving-options.ts'
import { ThreadEnded } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import type { ComposedMail, ReceivedMail } from '../receiving/received-mail.ts'
import { FairQueue } from './fair-queue.ts'
import { HostedThread } from './hosted-thread.ts'
import { transferableBytes } from './thread-protocol.ts'

/** The options of the thread. */
export type ComposingThreadData = {
  readonly hostName: string
  readonly isScanned: boolean
  readonly logLevel: string
}

/** The calls of the thread. */
type ComposingCalls = {
  readonly compose: (received: ReceivedMail) => Promise<ComposedMail>
}

/** Composes large mails. */
export type LargeMailComposing = {
  /** The accounts alternate. Null for a mail that is not large. */
  compose(owner: AccountId | null, received: ReceivedMail): Promise<ComposedMail> | null
  /** Ends the thread; call it when no mail is awaited any more. */
  stop(): Promise<void>
}

/** The bounds that a test may replace. */
export type ComposingOverrides = {
  readonly file?: URL
  readonly mailMsMax?: number
  readonly largeBytes?: number
}

/** Parsing larger mails takes up to seconds. */
const LARGE_BYTES = 256 * 1024

/** Longest time for one mail: the largest takes seconds, and SMTP clients wait for minutes. */
const MAIL_MS_MAX = 60_000

/** Memory of the thread. */
const MEMORY_MB_MAX = 1_024

/** Composes large mails; the first one starts the thread. */
export function startLargeMailComposing(
  { config, hostName }: Pick<ReceivingOptions, 'config' | 'hostName'>,
  log: Log,
  { file, mailMsMax = MAIL_MS_MAX, largeBytes = LARGE_BYTES }: ComposingOverrides = {},
): LargeMailComposing {
  const isScanned = config.MAYFLY_CLAMD !== null
  const data: ComposingThreadData = { hostName, isScanned, logLevel: config.MAYFLY_LOG_LEVEL }
  const thread = new HostedThread<ComposingCalls>({
    file: file ?? new URL('./composing-thread.ts', import.meta.url),
    data: () => data,
    onCrash: (error) =>
      log.error({ err: error }, 'the thread that parses large mails ended; it is started again'),
    memoryMbMax: MEMORY_MB_MAX,
    silenceMsMax: mailMsMax,
  })
  const queue = new FairQueue<AccountId | null>()
  return {
    compose: (owner, received) => {
      if (received.raw.length <= largeBytes) return null
      return queue.run(owner, async () => {
        const raw = transferableBytes(received.raw)
        const request = { ...received, raw: Buffer.from(raw.buffer) }
        return thread.call('compose', request, [raw.buffer]).catch((error: unknown) => {
          throw error instanceof ThreadEnded ? error.cause : error
        })
      })
    },
    stop: () => thread.stop(),
  }
}
