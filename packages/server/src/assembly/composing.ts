import { type ArrivedMail, composeMail } from '../features/receiving/compose.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import type { NewMail } from '../store/tables/mails.ts'
import { ComposingThread } from '../threads/composing-host.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'

/** Larger mails are composed in a thread of their own: parsing them takes up to seconds. */
const LARGE_MAIL_BYTES = 256 * 1024

/** Composes mails on the receiving thread, large ones in a thread of its own. */
export type Composing = {
  readonly compose: (arrived: ArrivedMail) => NewMail | Promise<NewMail>
  stop(): Promise<void>
}

/** Starts composing. The first large mail starts the thread, unless receiving has none either. */
export function startComposing(
  { store, log }: { readonly store: Store; readonly log: Log },
  { config, hostName }: ReceivingOptions,
): Composing {
  const isScanned = config.MAYFLY_CLAMD !== null
  // Nodes of an older version, which may share the store, read only the column of texts.
  const compose = createComposer({ hostName, isScanned, isTextInRaw: !store.isShared, log })
  const onCrash = (error: unknown) =>
    log.error({ err: error }, 'the thread that parses large mails ended; it is started again')
  const logLevel = config.MAYFLY_LOG_LEVEL
  const thread = new ComposingThread({ hostName, isScanned, logLevel }, { onCrash })
  const isApart = ({ accepted }: ArrivedMail) =>
    accepted.raw.length > LARGE_MAIL_BYTES && config.MAYFLY_SMTP_THREADS > 0
  return {
    compose: (arrived) => (isApart(arrived) ? thread.compose(arrived) : compose(arrived)),
    stop: () => thread.stop(),
  }
}

/** Composes mails on this thread. */
export function createComposer(deps: {
  readonly hostName: string
  readonly isScanned: boolean
  readonly isTextInRaw: boolean
  readonly log: Log
}): (arrived: ArrivedMail) => NewMail {
  const { hostName, isScanned, isTextInRaw, log } = deps
  let receivedAt = 0
  const ids = createIds({ now: () => receivedAt })
  const compose = {
    hostName,
    isScanned,
    isTextInRaw,
    newAttachmentId: () => ids.next('attachment'),
    onError: (error: unknown) =>
      log.error({ err: error }, 'a mail could not be parsed; it is stored raw'),
  }
  return (arrived) => {
    receivedAt = arrived.receivedAt
    return composeMail(compose, arrived)
  }
}
