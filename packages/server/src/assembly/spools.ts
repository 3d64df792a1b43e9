// The spools beside an SQLite database: one for each receiving thread, named by its number.

import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import { createBusyShare } from '../platform/busy-share.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { Spool, setAside, spoolPath } from '../store/sqlite/spool.ts'
import { readSpooled, writeSpooled } from '../threads/mail-batch.ts'
import type { StoringThread } from '../threads/storing-host.ts'
import type { MailSpool, SpoolBounds } from './mail-spool.ts'
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

/** Another thread stores the mails, so a batch may take its time. */
export const FILE_BOUNDS: SpoolBounds = {
  batchMails: 200,
  batchBytes: 1024 * 1024,
  mailsOfInbox: 256,
  laterFromShare: 0.5,
}

/** A spool in files. */
export function fileSpool(spool: Spool): MailSpool {
  return {
    left: spool.left.map(({ sequence, content }) => ({
      ...readSpooled(content),
      spoolSequence: sequence,
    })),
    get isWritable() {
      return spool.isWritable
    },
    isTakenFrom: false,
    mayHave: () => true,
    write: (mails) =>
      spool.write(
        mails.map((mail) => ({ sequence: mail.spoolSequence, content: writeSpooled(mail) })),
      ),
    release: (to) => spool.release(to),
    close: (isEmpty) => spool.close(isEmpty),
  }
}

/** Opens a spool, and stores what a crash has left in it. */
export async function openSpooledStore(deps: SpoolsDeps, name: string): Promise<SpooledStore> {
  const { path } = deps
  const spooled = new SpooledStore({
    ...deps,
    name,
    spool: fileSpool(new Spool(spoolPath(path, name))),
    bounds: FILE_BOUNDS,
    stored: await deps.store.spools.files.find(name),
    busyShare: createBusyShare(),
    onStoringLater: () => {},
    setAside: ({ id, accepted }: ArrivedMail) => setAside(path, id, accepted.raw),
  })
  await spooled.recover()
  return spooled
}

/** Stores what a crash has left in spools, and deletes them. */
export async function recoverSpools(deps: SpoolsDeps, names: readonly string[]): Promise<void> {
  for (const name of names) await (await openSpooledStore(deps, name)).stop()
}
