// What a receiving thread opens with its first connection.

import { type StoredFor, startMailHandling } from '../assembly/mail-handling.ts'
import type { MailHandling } from '../assembly/receiving.ts'
import type { SharedSpoolDeps } from '../assembly/shared-spool.ts'
import type { SpooledStore } from '../assembly/spooled-store.ts'
import { openSpooledStore, recoverSpools } from '../assembly/spools.ts'
import { startStoreClock } from '../assembly/store-clock.ts'
import type { MailToStore } from '../assembly/storing.ts'
import { Backlog } from '../platform/backlog.ts'
import type { Log } from '../platform/log.ts'
import { openThreadSignals, type Signal, type Signals } from '../signals/thread-signals.ts'
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
    isByKeys: true,
    syncsInBackground: true,
  })
  const opened = new AsyncDisposableStack()
  opened.defer(() => store.close())
  try {
    const signals = storing === null ? openThreadSignals(signalsName) : null
    opened.defer(() => signals?.close())
    const announce = (signal: Signal) => (storing ?? signals)?.announce(signal)
    const listen: Signals['listen'] = (listener) => signals?.listen(listener) ?? (() => {})
    const { clock, stop: stopClock } = await startStoreClock(store, log)
    opened.defer(stopClock)
    const deps = { store, log, signals: { announce, listen }, clock }
    const { spooled, storedFor, stop } =
      storing === null
        ? await openShared(data, deps)
        : await openSpool(data, { store, log, storing })
    opened.defer(stop)
    const storeMail = (mail: MailToStore) => spooled.store(mail)
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

/** A spool that mails go through, and what makes a sender wait for earlier ones. */
type OpenedSpool = {
  readonly spooled: SpooledStore
  readonly storedFor: StoredFor
  readonly stop: () => Promise<void>
}

/** Opens the spool that all nodes share. */
async function openShared(
  { options, number, backlogMemory }: ReceivingThreadData,
  deps: Omit<SharedSpoolDeps, 'backlog'>,
): Promise<OpenedSpool> {
  // What composes mails is loaded only where no storing thread does that.
  const { openSharedSpool } = await import('../assembly/shared-spool.ts')
  const backlog = new Backlog(backlogMemory, number)
  return openSharedSpool({ ...deps, backlog }, options)
}

/** Opens the spool of this thread, and stores what a crash has left in it and in others. */
async function openSpool(
  { options, number, backlogMemory }: ReceivingThreadData,
  deps: { readonly store: Store; readonly log: Log; readonly storing: StoringThread },
): Promise<OpenedSpool> {
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
  const spooled = await openSpooledStore(spools, own)
  return {
    spooled,
    storedFor: ({ inboxId }, isFarFromLimits) => spooled.storedFor(inboxId, isFarFromLimits),
    stop: () => spooled.stop(),
  }
}
