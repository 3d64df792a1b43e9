// The spool of PostgreSQL: a table that all nodes share. The thread that has accepted a mail stores
// it; what a thread leaves behind, because it ended, is stored by any other one. A mail is deleted
// from the table in the transaction that stores it, so that it is stored once.

import type { InboxId } from '@mayfly/contract'
import { BatchFailed, StorageUnavailable } from '../errors.ts'
import type { BatchOptions } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import { createBusyShare } from '../platform/busy-share.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Signals, WantedMails } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { LeftMail, NewSpooledMail } from '../store/tables/spooled-mails.ts'
import { readSpooled, writeSpooled } from '../threads/mail-batch.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'
import { atIntervals, runEvery } from './background.ts'
import type { StoredFor } from './mail-handling.ts'
import type { MailSpool, MailStoring, SpoolBounds } from './mail-spool.ts'
import { createOwnStoring } from './own-mail-store.ts'
import { createSpoolWait } from './spool-wait.ts'
import { SpooledStore } from './spooled-store.ts'
import { type CommittingDeps, readyMails } from './storing.ts'

/** What the spool needs. */
export type SharedSpoolDeps = CommittingDeps & {
  readonly signals: Pick<Signals, 'announce' | 'listen'>
  readonly log: Log
  readonly backlog: Backlog
}

/** The thread of the dialogues stores the mails, and must not be held up for long. */
const BOUNDS: SpoolBounds = {
  batchMails: 50,
  batchBytes: 256 * 1024,
  // Of each thread of each node: all together must leave the inbox some room.
  mailsOfInbox: 64,
  // PostgreSQL takes about as much time for a mail as this thread, often on the same machine.
  laterFromShare: 0.2,
}

const SHARED: BatchOptions = { spool: 'shared', until: 'synced' }

/** How long this thread is expected to store its mails after it has last said so. */
const LEASE_MS = 3_000

/** How often it says so, and looks for mails that others have left. */
const LOOK_MS = 1_000

/** Time for the thread that has accepted a mail to store it, before another one does. */
const HELP_MS = 250

/** Mails of others that are taken over at a time. */
const LEFT_MAX = 200

/** How often the other nodes are told that mails are stored later. */
const LATER_TOLD_MS = 1_000

/** A spooled store over the table. */
export type SharedSpool = {
  readonly spooled: SpooledStore
  /** Waits for mails of a recipient that this thread, or any other one, has accepted. */
  readonly storedFor: StoredFor
  readonly stop: () => Promise<void>
}

/** Opens the spool, and begins to store what others have left in it. */
export async function openSharedSpool(
  given: SharedSpoolDeps,
  options: ReceivingOptions,
): Promise<SharedSpool> {
  const node = createIds(given.clock).mark()
  const deps = { ...given, node }
  const { store, log, clock, signals } = deps
  const { storing, takeComposedMs } = createStoring(deps, options)
  const lease = new SpoolLease(deps)
  const share = createBusyShare()
  let sharedAt = elapsedMs()
  const later = atIntervals(LATER_TOLD_MS, () =>
    signals.announce({ inboxIds: [], mailIds: [], storesLater: true }),
  )
  const spooled = new SpooledStore({
    ...deps,
    name: node,
    spool: tableSpool(store, lease),
    bounds: BOUNDS,
    stored: { to: 0, beyond: [] },
    storing,
    busyShare: () => {
      // Without the time for storing, which happens on this thread, too.
      const elapsed = Math.max(1, elapsedMs() - sharedAt)
      sharedAt += elapsed
      return share() - takeComposedMs() / elapsed
    },
    onStoringLater: later.call,
    setAside: ({ id }) => {
      store.spools.mails.setAside(id).catch((error: unknown) => {
        log.warn({ err: error }, 'a mail that cannot be stored could not be set aside')
      })
      return 'the table spooled_mail'
    },
  })
  await spooled.recover()
  const others = { ...deps, lease }
  const looking = runEvery(LOOK_MS, { name: 'looking for mails of others', log }, async () => {
    if (spooled.hasAnyPending) await lease.hold()
    await storeOthers(others, spooled, () =>
      store.spools.mails.takeLeft({ node, now: clock.now(), limit: LEFT_MAX }),
    )
  })
  const helping = helpOut(deps, (wanted) =>
    storeOthers(others, spooled, () =>
      store.spools.mails.takeWanted(wanted, { node, limit: LEFT_MAX }),
    ),
  )
  const wait = createSpoolWait(store, signals.announce)
  return {
    spooled,
    storedFor: ({ inboxId, accountId, hasSpooledMail }, isFarFromLimits) => {
      if (spooled.hasPending(inboxId)) return spooled.storedFor(inboxId, isFarFromLimits)
      return hasSpooledMail ? wait(accountId, inboxId) : null
    },
    stop: async () => {
      later.stop()
      helping.stop()
      await looking.stop()
      await spooled.stop()
      await lease.end()
    },
  }
}

/**
 * Stores mails that somebody waits for and that the thread that has accepted them does not store:
 * it may be gone.
 */
function helpOut(
  { signals, log }: Pick<SharedSpoolDeps, 'signals' | 'log'>,
  help: (wanted: WantedMails) => Promise<void>,
): { stop(): void } {
  const timers = new Map<string, NodeJS.Timeout>()
  const stopListening = signals.listen(({ wanted }) => {
    const id = wanted?.inboxId ?? wanted?.accountId
    if (wanted === undefined || id === undefined || timers.has(id)) return
    const helpLater = () => {
      timers.delete(id)
      help(wanted).catch((error: unknown) =>
        log.warn({ err: error }, 'mails that another process has accepted could not be stored'),
      )
    }
    timers.set(id, setTimeout(helpLater, HELP_MS))
  })
  return {
    stop: () => {
      stopListening()
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** Parses and commits mails on this thread. */
function createStoring(
  deps: SharedSpoolDeps,
  options: ReceivingOptions,
): { readonly storing: MailStoring; readonly takeComposedMs: () => number } {
  const isWatched = (inboxId: InboxId) => deps.backlog.isWatchedId(inboxId)
  const { compose, commit } = createOwnStoring({ ...deps, isWatched }, options, SHARED)
  let composedMs = 0
  return {
    storing: {
      store: async (batch) => {
        const startedMs = elapsedMs()
        const ready = readyMails(compose, batch)
        composedMs += elapsedMs() - startedMs
        const results = await commit(ready).catch(throwFailure)
        return results.map((result) =>
          result instanceof Promise ? result.catch(throwFailure) : result,
        )
      },
      sync: async () => {},
    },
    takeComposedMs: () => {
      const taken = composedMs
      composedMs = 0
      return taken
    },
  }
}

/** What is no failure of the storage may be due to one of the mails. */
function throwFailure(error: unknown): never {
  throw error instanceof StorageUnavailable ? error : new BatchFailed(error)
}

function tableSpool(store: Store, lease: SpoolLease): MailSpool {
  return {
    left: [],
    isWritable: true,
    isTakenFrom: true,
    mayHave: (mail) => ownerOf(mail) !== null,
    write: async (mails) => {
      const node = await lease.hold()
      await store.spools.mails.add(mails.map(rowOf), node)
    },
    release: () => {},
    close: () => {},
  }
}

/** The inbox of a mail and its account; null for one with several inboxes. */
function ownerOf({ accepted }: ArrivedMail): Pick<NewSpooledMail, 'accountId' | 'inboxId'> | null {
  const [first, ...others] = accepted.recipients
  if (first?.accountId === undefined) return null
  const { accountId, inboxId } = first
  return others.every((other) => other.inboxId === inboxId) ? { accountId, inboxId } : null
}

function rowOf(mail: ArrivedMail): NewSpooledMail {
  const owner = ownerOf(mail)
  if (owner === null) throw new Error('a mail for several inboxes cannot be spooled')
  return { id: mail.id, ...owner, content: Buffer.concat(writeSpooled(mail)) }
}

/** Takes over mails of others, and stores them, as long as there are some. */
async function storeOthers(
  { lease, log }: SharedSpoolDeps & { readonly lease: SpoolLease },
  spooled: SpooledStore,
  take: () => Promise<readonly LeftMail[]>,
): Promise<void> {
  for (;;) {
    const left = await take()
    if (left.length === 0) return
    await lease.hold()
    log.info({ mails: left.length }, 'storing mails that another process or thread has accepted')
    for (const { id, tries } of left) {
      if (tries > 1) log.warn({ mailId: id, tries }, 'an accepted mail is tried again')
    }
    await spooled.storeLeft(left.map(({ content }) => readSpooled(content)))
  }
}

type LeaseDeps = Pick<SharedSpoolDeps, 'store' | 'clock'> & {
  /** Unique to this run of this thread. */
  readonly node: string
}

/** Tells the other nodes that this thread stores what it has accepted, as long as it may. */
class SpoolLease {
  readonly #deps: LeaseDeps
  #until = 0

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  /** Holds the lease for a while; returns the name of this thread. */
  async hold(): Promise<string> {
    const { store, clock, node } = this.#deps
    const now = clock.now()
    if (this.#until < now + LEASE_MS / 2) {
      await store.spools.mails.lease(node, now + LEASE_MS)
      this.#until = now + LEASE_MS
    }
    return node
  }

  async end(): Promise<void> {
    const { store, clock, node } = this.#deps
    if (this.#until > 0) await store.spools.mails.endLeases(node, clock.now())
  }
}
