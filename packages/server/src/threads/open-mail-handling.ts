// What a receiving thread opens with its first connection.

import { startMailHandling } from '../assembly/mail-handling.ts'
import type { MailHandling } from '../assembly/receiving.ts'
import { startStoreClock } from '../assembly/store-clock.ts'
import type { MailToStore } from '../assembly/storing.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import { openThreadSignals, type Signal } from '../signals/thread-signals.ts'
import { openStore } from '../store/open.ts'
import type { ReceivingThreadData } from './receiving-host.ts'
import type { StoringThread } from './storing-host.ts'

/** Opens the store and starts to handle mails. */
export async function openMailHandling(
  { options, signalsName }: ReceivingThreadData,
  { log, storing }: { readonly log: Log; readonly storing: StoringThread | null },
): Promise<MailHandling> {
  const store = await openStore({
    url: options.config.MAYFLY_DATABASE_URL,
    directUrl: options.config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    isMigrated: true,
    syncsInBackground: true,
  })
  const opened = new AsyncDisposableStack()
  opened.defer(() => store.close())
  try {
    const signals = storing === null ? openThreadSignals(signalsName) : null
    opened.defer(() => signals?.close())
    const announce = (signal: Signal) => (storing ?? signals)?.announce(signal)
    const { clock, stop: stopClock } = await startStoreClock(store, log)
    opened.defer(stopClock)
    const deps = { store, log, signals: { announce }, clock }
    // What composes mails is loaded only where no storing thread does that.
    const storeMail =
      storing === null
        ? (await import('../assembly/own-mail-store.ts')).createOwnMailStore(deps, options)
        : createGroupCommit((batch: readonly MailToStore[]) => storing.store(batch))
    const handling = startMailHandling({ ...deps, storeMail }, options)
    opened.defer(handling.stop)
    return { ...handling, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
