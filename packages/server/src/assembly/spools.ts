// The spools beside an SQLite database: one for each receiving thread, named by its number.

import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import { createBusyShare } from '../platform/busy-share.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { Spool, setAside, spoolPath } from '../store/sqlite/spool.ts'
import type { StoringThread } from '../threads/storing-host.ts'
import { SpooledStore } from './spooled-store.ts'

/** What opening spools needs. */
export type SpoolsDeps = {
  /** The database's file. */
  readonly path: string
  readonly store: Pick<Store, 'spools'>
  readonly storing: StoringThread
  readonly log: Log
  readonly backlog: Backlog
}

/** Opens a spool, and stores what a crash has left in it. */
export async function openSpooledStore(deps: SpoolsDeps, name: string): Promise<SpooledStore> {
  const { path } = deps
  const spooled = new SpooledStore({
    ...deps,
    name,
    spool: new Spool(spoolPath(path, name)),
    stored: await deps.store.spools.find(name),
    busyShare: createBusyShare(),
    setAside: ({ id, accepted }: ArrivedMail) => setAside(path, id, accepted.raw),
  })
  await spooled.recover()
  return spooled
}

/** Stores what a crash has left in spools, and deletes them. */
export async function recoverSpools(deps: SpoolsDeps, names: readonly string[]): Promise<void> {
  for (const name of names) await (await openSpooledStore(deps, name)).stop()
}
