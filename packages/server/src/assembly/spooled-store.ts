// Accepted mails on their way into the store. While others are being stored, a mail that arrives is
// written to the spool, and its sender gets `250` when it is there, on the disk. So senders do not
// wait for the mails of others to be parsed and committed, and under load a transaction has more
// mails. The spool is files beside an SQLite database (spools.ts), or a table of PostgreSQL
// (shared-spool.ts).
//
// While receiving takes most of its thread's time, mails in the spool are stored later, so that a
// burst is taken as fast as possible. Those that somebody waits for, and those of an inbox that
// gets another mail, are stored first, before older ones of others.
//
// The sender of any other mail waits until it is stored: of one that finds no others, of one
// that somebody waits for, of a large one, of one for an inbox that may be full or that tells the
// id of the message, and of every one while storing fails.
//
// What was spooled is stored, whatever happens: after a failure it is tried again, after a crash of
// the storing thread the mails are stored one by one, and one that ends the thread each time is set
// aside.

import type { InboxId } from '@mayfly/contract'
import { BatchFailed, StorageUnavailable } from '../errors.ts'
import type { StoreOutcome } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createGroupCommit, type GroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import type { StoredOfSpool } from '../store/tables/spool-files.ts'
import { Gathering, type GatheringDeps } from './gathering.ts'
import type { MailSpool, MailStoring, NumberedMail, SpoolBounds } from './mail-spool.ts'
import { PendingMails } from './pending-mails.ts'
import { SpoolRelease } from './spool-release.ts'
import type { MailToStore } from './storing.ts'
import { bucketsOf, type Entry, entryOf } from './storing-entry.ts'
import { StoringQueue } from './storing-queue.ts'

/** What a spooled store needs. */
export type SpooledStoreDeps = Pick<GatheringDeps, 'busyShare' | 'onStoringLater'> & {
  readonly name: string
  readonly spool: MailSpool
  readonly bounds: SpoolBounds
  /** The mails of this spool that are stored. */
  readonly stored: StoredOfSpool
  readonly storing: MailStoring
  readonly backlog: Backlog
  /** Keeps a mail that cannot be stored; returns where. */
  readonly setAside: (mail: ArrivedMail) => string
  readonly log: Log
}

/** Turns of the event loop between two writes: under load each brings mails for the next one. */
const SPOOL_REST_TURNS = 2

/** Pause before mails that could not be stored are tried again. */
const RETRY_MS = 1_000

/** How often a mail may end the storing thread by itself. */
const ENDED_MAX = 3

/** How long the mails that are left may take when the service stops. */
const STOP_MS = 1_500

/** Stores mails by way of a spool. */
export class SpooledStore {
  readonly #deps: SpooledStoreDeps
  readonly #spool: GroupCommit<NumberedMail, true>
  readonly #pending: PendingMails
  readonly #stopping = new AbortController()
  readonly #queue: StoringQueue
  #isRunning = false
  #isScheduled = false
  /** When the last batch was taken, by a monotonic clock. */
  #takenMs = 0
  #failure: unknown = null
  /** Entries that are stored one by one, after a batch has ended the thread. */
  #alone = 0
  /** How often the first entry has ended the thread by itself. */
  #ended = 0
  #lastSequence: number
  readonly #gathering: Gathering
  readonly #release: SpoolRelease
  #retryTimer: NodeJS.Timeout | undefined
  #idle = Promise.withResolvers<void>()

  constructor(deps: SpooledStoreDeps) {
    this.#deps = deps
    this.#pending = new PendingMails(deps.backlog, deps.bounds.mailsOfInbox)
    this.#queue = new StoringQueue((buckets) => deps.backlog.isWatched(buckets), deps.bounds)
    this.#gathering = new Gathering({ ...deps, queue: this.#queue, pending: this.#pending })
    this.#release = new SpoolRelease(deps, deps.stored.to)
    this.#lastSequence = Math.max(deps.stored.to, deps.spool.left.at(-1)?.spoolSequence ?? 0)
    const write = async (mails: readonly NumberedMail[]) => {
      await deps.spool.write(mails)
      return mails.map(() => true as const)
    }
    this.#spool = createGroupCommit(write, { restTurns: SPOOL_REST_TURNS })
    void deps.backlog.listen(() => this.#call(), this.#stopping.signal)
  }

  /** Stores what a crash has left in the spool; resolves when it is stored, or storing fails. */
  async recover(): Promise<void> {
    const { spool, stored, backlog, log } = this.#deps
    const left = spool.left.filter(
      ({ spoolSequence: number }) => number > stored.to && !stored.beyond.includes(number),
    )
    this.#gathering.isHurried = true
    for (const mail of left) this.#add(mail, mail.spoolSequence)
    if (left.length > 0) {
      log.info({ mails: left.length }, 'storing mails that were accepted before a crash')
      await this.#idle.promise
    }
    this.#gathering.isHurried = false
    backlog.reset()
    // What was stored before the crash need not be on the disk.
    if (spool.left.length > 0) await this.#release.sync()
  }

  /** Resolves when the mail will be stored whatever happens. */
  async store(mail: MailToStore): Promise<StoreOutcome> {
    while (this.#maySpool(mail)) {
      if (this.#pending.hasRoom) return this.#putIntoSpool(mail)
      await this.#pending.room()
    }
    return this.#add(mail, null).stored.promise
  }

  /** Stores mails of the spool that another node or an earlier process has accepted. */
  async storeLeft(mails: readonly ArrivedMail[]): Promise<void> {
    const tried = mails.map((mail) => {
      const spooled = this.#number(mail)
      const entry = this.#add(spooled, spooled.spoolSequence)
      for (const { inboxId } of mail.accepted.recipients) this.#queue.need(inboxId)
      return entry.tried.promise
    })
    this.#gathering.end()
    await Promise.all(tried)
  }

  #number(mail: ArrivedMail): NumberedMail {
    return { ...mail, spoolSequence: ++this.#lastSequence }
  }

  async #putIntoSpool(mail: ArrivedMail): Promise<StoreOutcome> {
    const spooled = this.#number(mail)
    if (this.#deps.spool.isTakenFrom) {
      await this.#spoolAndAdd(spooled)
    } else {
      const failed = await this.#addAndSpool(spooled)
      if (failed !== null) return failed
    }
    const sizeBytes = mail.accepted.raw.length
    return { state: 'stored', messageId: null, fullInboxes: [], sizeBytes }
  }

  async #spoolAndAdd(mail: NumberedMail): Promise<void> {
    const entry = entryOf(mail, mail.spoolSequence)
    this.#pending.add(entry, mail)
    try {
      await this.#spool(mail)
    } catch (error) {
      this.#pending.remove(entry, mail)
      entry.tried.resolve()
      throw error
    }
    this.#queue.add(entry)
    this.#schedule()
  }

  /** Null when the mail is in the spool, or its outcome when it could not be written there. */
  async #addAndSpool(mail: NumberedMail): Promise<StoreOutcome | null> {
    const entry = this.#add(mail, mail.spoolSequence)
    try {
      await this.#spool(mail)
      return null
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the spool cannot be written; senders wait for storing')
      entry.isAwaited = true
      this.#call()
      const outcome = await entry.stored.promise
      // Its batch may have been stored before that.
      await this.#deps.storing.sync()
      return outcome
    }
  }

  /**
   * Resolves when the mails of an inbox that were accepted before are stored, or cannot be for now;
   * null when nobody need wait, because the inbox has room for all of them and another one.
   */
  storedFor(inboxId: InboxId, isFarFromLimits: boolean): Promise<unknown> | null {
    const last = this.#pending.lastOf(inboxId)
    if (last === undefined || this.#failure !== null) return null
    if (isFarFromLimits && this.#pending.hasRoomFor(inboxId)) return null
    this.#queue.need(inboxId)
    this.#gathering.end()
    return last.tried.promise
  }

  /** Whether mails of an inbox that this thread has accepted are not stored yet. */
  hasPending(inboxId: InboxId): boolean {
    return this.#pending.lastOf(inboxId) !== undefined
  }

  /** The same for any inbox. */
  get hasAnyPending(): boolean {
    return !this.#pending.isEmpty
  }

  /** Throws when mails could not be stored. */
  check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Stores what is left, as far as there is time; call it when no mail comes any more. */
  async stop(): Promise<void> {
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, STOP_MS)
    this.#stopping.abort()
    this.#gathering.isHurried = true
    this.#gathering.end()
    if (this.#queue.length > 0 || this.#isRunning) {
      await Promise.race([this.#idle.promise, isLate])
    }
    clearTimeout(timer)
    this.#release.stop()
    clearTimeout(this.#retryTimer)
    const isStored = this.#queue.length === 0 && !this.#isRunning
    const isSynced =
      isStored &&
      (await this.#deps.storing.sync().then(
        () => true,
        () => false,
      ))
    this.#deps.spool.close(isSynced)
  }

  #maySpool(mail: MailToStore): mail is ArrivedMail {
    const isBusy = this.#isRunning || this.#queue.length > 0
    if (!isBusy || this.#failure !== null || !this.#deps.spool.isWritable) return false
    if (!('accepted' in mail) || !this.#deps.spool.mayHave(mail)) return false
    if (this.#deps.backlog.isWatched(bucketsOf(mail))) return false
    return mail.accepted.recipients.every(
      ({ inboxId, hasAmpleRoom }) => hasAmpleRoom === true && this.#pending.hasRoomFor(inboxId),
    )
  }

  /** Somebody may wait for mails in the queue. */
  #call(): void {
    this.#queue.call()
    this.#gathering.end()
  }

  #add(mail: MailToStore, sequence: number | null): Entry {
    const entry = entryOf(mail, sequence)
    this.#queue.add(entry)
    if (sequence !== null && 'accepted' in mail) {
      this.#pending.add(entry, mail)
    } else {
      // Earlier mails of the same inboxes are stored before it.
      const { recipients } = 'accepted' in mail ? mail.accepted : mail
      for (const { inboxId } of recipients) {
        if (this.#pending.lastOf(inboxId) !== undefined) this.#queue.need(inboxId)
      }
      this.#gathering.end()
    }
    this.#schedule()
    return entry
  }

  /** Runs after all ready sockets have been read, so that their mails share one batch. */
  #schedule(): void {
    if (this.#isRunning || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#run()
    })
  }

  /** Stores all that waits, one batch after the other, until there is a failure. */
  async #run(): Promise<void> {
    this.#isRunning = true
    do {
      this.#takenMs = elapsedMs()
      const batch = this.#alone > 0 ? this.#queue.takeOne() : this.#queue.take()
      try {
        this.#settle(batch, await this.#storeBatch(batch))
        await this.#gathering.gather(batch)
      } catch (error) {
        this.#putBack(batch, error)
      }
    } while (this.#queue.length > 0 && this.#failure === null)
    this.#isRunning = false
    this.#idle.resolve()
    this.#idle = Promise.withResolvers<void>()
  }

  async #storeBatch(batch: readonly Entry[]): ReturnType<MailStoring['store']> {
    const isAwaited = batch.some((entry) => entry.isAwaited)
    const isSpooled = batch.some(({ sequence }) => sequence !== null)
    return this.#deps.storing.store(
      batch.map(({ mail }) => mail),
      {
        spool: isSpooled ? { name: this.#deps.name, storedTo: this.#clearTo } : null,
        until: isAwaited ? 'synced' : 'committed',
      },
    )
  }

  /** The number up to which no mail of the spool waits. */
  get #clearTo(): number {
    return this.#queue.clearTo ?? this.#lastSequence
  }

  #settle(batch: readonly Entry[], outcomes: Awaited<ReturnType<MailStoring['store']>>): void {
    this.#alone = Math.max(0, this.#alone - batch.length)
    this.#setFailure(null)
    const settled: Entry[] = []
    for (const [i, entry] of batch.entries()) {
      const outcome = outcomes[i]
      if (outcome instanceof Promise) {
        void this.#settleLater(entry, outcome)
        continue
      }
      settled.push(entry)
      entry.tried.resolve()
      if (outcome === undefined) entry.stored.reject(new Error('a mail has no outcome'))
      else entry.stored.resolve(outcome)
    }
    this.#forget(settled)
  }

  /** Settles a mail whose inbox was locked. */
  async #settleLater(entry: Entry, outcome: Promise<StoreOutcome>): Promise<void> {
    try {
      this.#settle([entry], [await outcome])
    } catch (error) {
      this.#putBack([entry], error)
      if (this.#failure === null) this.#schedule()
    }
  }

  /** What is stored need not be counted any more, and is deleted from the spool after a sync. */
  #forget(batch: readonly Entry[]): void {
    this.#ended = 0
    const spooled = batch.filter(({ sequence }) => sequence !== null)
    if (spooled.length === 0) return
    for (const entry of spooled) this.#uncount(entry)
    this.#release.storedTo(this.#clearTo)
    this.#pending.grantRoom()
  }

  #uncount(entry: Entry): void {
    const { sequence, mail } = entry
    if (sequence !== null && 'accepted' in mail) this.#pending.remove(entry, mail)
  }

  /** Spooled mails are tried again; the senders of the others are told. */
  #putBack(batch: readonly Entry[], error: unknown): void {
    this.#refuse(
      batch.filter(({ isAwaited }) => isAwaited),
      error,
    )
    const spooled = batch.filter(({ isAwaited }) => !isAwaited)
    this.#queue.putBack(spooled)
    if (!(error instanceof StorageUnavailable)) throw error
    if (error instanceof BatchFailed) {
      if (spooled.length > 0) this.#isolate(batch)
      return
    }
    const waiting = this.#queue.entries()
    if (waiting.every(({ isAwaited }) => isAwaited)) return
    this.#setFailure(error)
    // The next batch may have no place for them again.
    this.#refuse(this.#queue.takeAwaitedBefore(this.#takenMs), error)
    for (const { tried } of waiting) tried.resolve()
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => this.#schedule(), RETRY_MS)
  }

  #refuse(entries: readonly Entry[], error: unknown): void {
    for (const entry of entries) {
      this.#uncount(entry)
      entry.tried.resolve()
      entry.stored.reject(error)
    }
  }

  /** Finds the mail that ends the thread. */
  #isolate(batch: readonly Entry[]): void {
    this.#alone = Math.max(this.#alone, batch.length)
    const [entry] = batch
    if (batch.length > 1 || entry === undefined || !('accepted' in entry.mail)) return
    this.#ended += 1
    if (this.#ended < ENDED_MAX) return
    const { mail } = entry
    const file = this.#deps.setAside(mail)
    this.#deps.log.error({ mailId: mail.id, file }, 'an accepted mail could not be stored')
    this.#queue.takeOne()
    this.#settle(batch, [{ state: 'gone', messageId: null, fullInboxes: [], sizeBytes: 0 }])
  }

  #setFailure(error: unknown): void {
    if (this.#failure === error) return
    this.#failure = error
    this.#deps.backlog.setFailing(error !== null)
    if (error === null) return
    this.#deps.log.error({ err: error }, 'accepted mails could not be stored; trying again')
    // Their mails are not spooled now.
    this.#pending.endWaits()
  }
}
