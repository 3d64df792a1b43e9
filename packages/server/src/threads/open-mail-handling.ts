// What a receiving thread opens with its first connection.

import type { InboxId } from '@mayfly/contract'
import { startMailHandling } from '../assembly/mail-handling.ts'
import type { MailHandling } from '../assembly/receiving.ts'
import type { SpooledStore } from '../assembly/spooled-store.ts'
import { openSpooledStore, recoverSpools } from '../assembly/spools.ts'
import { startStoreClock } from '../assembly/store-clock.ts'
import type { MailToStore } from '../assembly/storing.ts'
import { Backlog } from '../platform/backlog.ts'
import type { Log } from '../platform/log.ts'
import { openThreadSignals, type Signal } from '../signals/thread-signals.ts'
import { openStore, type Store } from '../store/open.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { spoolsOfThread } from '../store/sqlite/spool.ts'
import type { ReceivingThreadData } from './receiving-host.ts'
import type { StoringThread } from './storing-host.ts'

/** Opens the store and starts to handle mails. */
export async function openMailHandling(
  data: ReceivingThreadData,
  { log, storing }: { readonly log: Log; readonly storing: StoringThread | null },
): Promise<MailHandling> {
  const { options, signalsName } = data
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
    if (storing === null) {
      // What composes mails is loaded only where no storing thread does that.
      const { createOwnMailStore } = await import('../assembly/own-mail-store.ts')
      const storeMail = createOwnMailStore(deps, options)
      const handling = startMailHandling({ ...deps, storeMail }, options)
      opened.defer(handling.stop)
      return { ...handling, stop: () => opened.disposeAsync() }
    }
    const spooled = await openSpool(data, { store, log, storing })
    opened.defer(() => spooled.stop())
    const storeMail = (mail: MailToStore) => spooled.store(mail)
    const storedFor = (inboxId: InboxId, isFarFromLimits: boolean) =>
      spooled.storedFor(inboxId, isFarFromLimits)
    const handling = startMailHandling({ ...deps, storeMail, storedFor }, options)
    opened.defer(handling.stop)
    const check = async () => {
      await handling.check()
      spooled.check()
    }
    return { ...handling, check, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Opens the spool of this thread, and stores what a crash has left in it and in others. */
async function openSpool(
  { options, number, backlogMemory }: ReceivingThreadData,
  deps: { readonly store: Store; readonly log: Log; readonly storing: StoringThread },
): Promise<SpooledStore> {
  const { MAYFLY_DATABASE_URL: url, MAYFLY_SMTP_THREADS: count } = options.config
  const path = sqlitePathOf(url)
  if (path === null) throw new Error('Only SQLite has spools.')
  const spools = { ...deps, path, backlog: new Backlog(backlogMemory, number) }
  const own = String(number)
  const left = spoolsOfThread(path, { number, count })
  await recoverSpools(
    spools,
    left.filter((name) => name !== own),
  )
  return openSpooledStore(spools, own)
}
