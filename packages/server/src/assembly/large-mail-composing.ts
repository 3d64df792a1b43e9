import type { AccountId } from '@mayfly/contract'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Log } from '../platform/log.ts'
import type { NewMail } from '../store/tables/mails.ts'
import { ComposingThread } from '../threads/composing-host.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'

/** Larger mails are composed in a thread of their own: parsing them takes up to seconds. */
const LARGE_MAIL_BYTES = 256 * 1024

/** Composes large mails; the others are composed by the thread that stores them. */
export type LargeMailComposing = {
  /** Null for a mail that is not large. */
  readonly compose: (owner: AccountId | null, arrived: ArrivedMail) => Promise<NewMail> | null
  stop(): Promise<void>
}

/** The first large mail starts the thread, unless receiving has none either. */
export function startLargeMailComposing(
  log: Log,
  { config, hostName }: ReceivingOptions,
): LargeMailComposing {
  const isScanned = config.MAYFLY_CLAMD !== null
  const onCrash = (error: unknown) =>
    log.error({ err: error }, 'the thread that parses large mails ended; it is started again')
  const logLevel = config.MAYFLY_LOG_LEVEL
  const thread = new ComposingThread({ hostName, isScanned, logLevel }, { onCrash })
  const isApart = ({ accepted }: ArrivedMail) =>
    accepted.raw.length > LARGE_MAIL_BYTES && config.MAYFLY_SMTP_THREADS > 0
  return {
    compose: (owner, arrived) => (isApart(arrived) ? thread.compose(owner, arrived) : null),
    stop: () => thread.stop(),
  }
}
