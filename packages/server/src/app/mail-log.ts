import type { Log } from '../platform/log.ts'
import { storedText } from '../platform/log-text.ts'
import type { RefusedCommand, Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'

/** Mails that are logged of those that are stored together; the others are counted. */
const MAILS_SHOWN_MAX = 20

/**
 * Logs each stored mail and refused recipient or login, for a person at a terminal; call the
 * result to stop. Programs get the same from the API.
 */
export function startMailLog(deps: {
  readonly store: Store
  readonly signals: Signals
  readonly log: Log
}): () => Promise<void> {
  const { store, signals, log } = deps
  let logging: Promise<void> = Promise.resolve()
  const stopListening = signals.listen((signal) => {
    if (signal.name === 'commandRefused') log.info(refusedText(signal.refused))
    if (signal.name !== 'mailsStored') return
    const { mailIds } = signal
    logging = logging
      .then(() => logStored(store, log, mailIds))
      .catch((error: unknown) => log.debug({ err: error }, 'stored mails could not be logged'))
  })
  return () => {
    stopListening()
    return logging
  }
}

async function logStored(store: Store, log: Log, mailIds: readonly string[]): Promise<void> {
  for (const stored of await store.messages.listArrivals(mailIds.slice(0, MAILS_SHOWN_MAX))) {
    log.info(storedText(stored))
  }
  const others = mailIds.length - MAILS_SHOWN_MAX
  if (others > 0) log.info(`and ${others} more mails`)
}

function refusedText({ kind, name, reply }: RefusedCommand): string {
  const [code = ''] = reply.split(' ', 1)
  return `refused ${code} ${name}  ${kind === 'recipient' ? 'no inbox has this address' : 'wrong login'}`
}
