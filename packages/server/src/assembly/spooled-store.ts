// Accepted mails on their way into SQLite. While the storing thread is busy, a mail that arrives is
// written to the spool, and its sender gets `250` when it is there, on the disk. So senders do not
// wait for the mails of others to be parsed and committed, and under load a transaction has more
// mails.
//
// The sender of any other mail waits until it is stored: of one that finds the thread idle, of a
// large one, of one for an inbox that may be full or that tells the id of the message, and of every
// one while storing fails.
//
// What was spooled is stored, whatever happens: after a failure it is tried again, after a crash of
// the storing thread the mails are stored one by one, and one that ends the thread each time is put
// into a file of its own.

import type { AccountId, InboxId } from '@mayfly/contract'
import { StorageUnavailable } from '../errors.ts'
import type { StoreOutcome } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import { createGroupCommit, type GroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import type { Spool, SpoolRecord } from '../store/sqlite/spool.ts'
import { readSpooled, writeSpooled } from '../threads/mail-batch.ts'
import { type StoringThread, StoringThreadEnded } from '../threads/storing-host.ts'
import type { MailToStore } from './storing.ts'

/** What a spooled store needs. */
export type SpooledStoreDeps = {
  readonly name: string
  readonly spool: Spool
  /** The number of the last mail of this spool that is stored. */
  readonly storedTo: number
  readonly storing: Pick<StoringThread, 'store' | 'sync'>
  readonly backlog: Backlog
  /** Keeps a mail that cannot be stored; returns where. */
  readonly setAside: (mail: ArrivedMail) => string
  readonly log: Log
}

/**
 * Spooled mails that are not stored yet; more wait for room. Others wait behind them, and the worst
 * mails take up to 0.2 ms a kilobyte.
 */
const PENDING_MAX = 256
const PENDING_BYTES_MAX = 2 * 1024 * 1024

/** Mails in one transaction. */
const BATCH_MAX = 200

/**
 * After a batch of some mails the next one is begun a little later, unless many wait already: each
 * batch has a fixed cost.
 */
const GATHER_FROM = 5
const GATHER_TO = 64
const GATHER_MS = 8

/** Writes to the spool at a time. */
const SPOOL_WRITES_MAX = 2

/** How long stored mails stay in the spool for their sync, so that many share it. */
const SYNC_MS = 50

/** Pause before mails that could not be stored are tried again. */
const RETRY_MS = 1_000

/** How often a mail may end the storing thread by itself. */
const ENDED_MAX = 3

/** How long the mails that are left may take when the service stops. */
const STOP_MS = 1_500

type Entry = {
  readonly mail: MailToStore
  /** Its number in the spool; null for a mail that is not to be there. */
  readonly sequence: number | null
  /** Whether its sender waits until it is stored; also after its write to the spool has failed. */
  isAwaited: boolean
  readonly stored: PromiseWithResolvers<StoreOutcome>
  /** Resolves when it is stored, or could not be at first. */
  readonly tried: PromiseWithResolvers<void>
}

/** Stores mails by way of a spool. */
export class SpooledStore {
  readonly #deps: SpooledStoreDeps
  readonly #spool: GroupCommit<SpoolRecord, true>
  readonly #lastOfInbox = new Map<InboxId, Entry>()
  #waiting: Entry[] = []
  #isRunning = false
  #isScheduled = false
  #failure: unknown = null
  /** Entries that are stored one by one, after a batch has ended the thread. */
  #alone = 0
  /** How often the first entry has ended the thread by itself. */
  #ended = 0
  #pending = 0
  #pendingBytes = 0
  #forRoom: (() => void)[] = []
  #lastSequence: number
  #storedTo: number
  /** Begins the next batch at once. */
  #gathered: (() => void) | null = null
  #syncTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #idle = Promise.withResolvers<void>()

  constructor(deps: SpooledStoreDeps) {
    this.#deps = deps
    this.#storedTo = deps.storedTo
    this.#lastSequence = Math.max(deps.storedTo, deps.spool.left.at(-1)?.sequence ?? 0)
    const write = async (records: readonly SpoolRecord[]) => {
      await deps.spool.write(records)
      return records.map(() => true as const)
    }
    this.#spool = createGroupCommit(write, { commitsMax: SPOOL_WRITES_MAX })
  }

  /** Stores what a crash has left in the spool; resolves when it is stored, or storing fails. */
  async recover(): Promise<void> {
    const { spool, storedTo, backlog, log } = this.#deps
    const left = spool.left.filter(({ sequence }) => sequence > storedTo)
    for (const { sequence, content } of left) {
      this.#add({ ...readSpooled(content), spoolSequence: sequence }, sequence)
    }
    if (left.length > 0) {
      log.info({ mails: left.length }, 'storing mails that were accepted before a crash')
      await this.#idle.promise
    }
    backlog.reset()
    // What was stored before the crash need not be on the disk.
    if (spool.left.length > 0) await this.#sync()
  }

  /** Resolves when the mail will be stored whatever happens. */
  async store(mail: MailToStore): Promise<StoreOutcome> {
    while (this.#maySpool(mail) && !this.#hasRoom()) await this.#room()
    if (!this.#maySpool(mail)) return this.#add(mail, null).stored.promise
    const sequence = ++this.#lastSequence
    const spooled = { ...mail, spoolSequence: sequence }
    this.#deps.backlog.accept(ownersOf(mail))
    const entry = this.#add(spooled, sequence)
    try {
      await this.#spool({ sequence, content: writeSpooled(spooled) })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the spool cannot be written; senders wait for storing')
      entry.isAwaited = true
      const outcome = await entry.stored.promise
      // Its batch may have been stored before that.
      await this.#deps.storing.sync()
      return outcome
    }
    const sizeBytes = mail.accepted.raw.length
    return { state: 'stored', messageId: null, fullInboxes: [], sizeBytes }
  }

  /**
   * Resolves when the mails of an inbox that were accepted before are stored, or cannot be for now;
   * null when nobody need wait.
   */
  storedFor(inboxId: InboxId): Promise<unknown> | null {
    if (this.#failure !== null) return null
    return this.#lastOfInbox.get(inboxId)?.tried.promise ?? null
  }

  /** Throws when mails could not be stored. */
  check(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Stores what is left, as far as there is time; call it when no mail comes any more. */
  async stop(): Promise<void> {
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, STOP_MS)
    if (this.#waiting.length > 0 || this.#isRunning) {
      await Promise.race([this.#idle.promise, isLate])
    }
    clearTimeout(timer)
    clearTimeout(this.#syncTimer)
    clearTimeout(this.#retryTimer)
    const isStored = this.#waiting.length === 0 && !this.#isRunning
    const isSynced =
      isStored &&
      (await this.#deps.storing.sync().then(
        () => true,
        () => false,
      ))
    this.#deps.spool.close(isSynced)
  }

  #maySpool(mail: MailToStore): mail is ArrivedMail {
    const isBusy = this.#isRunning || this.#waiting.length > 0
    if (!isBusy || this.#failure !== null || !this.#deps.spool.isWritable) return false
    return 'accepted' in mail && mail.accepted.recipients.every((one) => one.hasAmpleRoom === true)
  }

  #hasRoom(): boolean {
    return this.#pending < PENDING_MAX && this.#pendingBytes < PENDING_BYTES_MAX
  }

  #room(): Promise<void> {
    return new Promise((resolve) => this.#forRoom.push(resolve))
  }

  #add(mail: MailToStore, sequence: number | null): Entry {
    const stored = Promise.withResolvers<StoreOutcome>()
    const tried = Promise.withResolvers<void>()
    const entry = { mail, sequence, isAwaited: sequence === null, stored, tried }
    this.#waiting.push(entry)
    if (sequence !== null && 'accepted' in mail) {
      this.#pending += 1
      this.#pendingBytes += mail.accepted.raw.length
      for (const { inboxId } of mail.accepted.recipients) this.#lastOfInbox.set(inboxId, entry)
    } else {
      this.#gathered?.()
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
      const batch = this.#waiting.splice(0, this.#alone > 0 ? 1 : BATCH_MAX)
      try {
        this.#settle(batch, await this.#storeBatch(batch))
        await this.#gather(batch)
      } catch (error) {
        this.#putBack(batch, error)
      }
    } while (this.#waiting.length > 0 && this.#failure === null)
    this.#isRunning = false
    this.#idle.resolve()
    this.#idle = Promise.withResolvers<void>()
  }

  /** Lets more mails arrive for the batch after this one, until a sender waits for its mail. */
  async #gather(batch: readonly Entry[]): Promise<void> {
    const isAwaited = [...batch, ...this.#waiting].some((entry) => entry.isAwaited)
    if (isAwaited || batch.length < GATHER_FROM || this.#waiting.length >= GATHER_TO) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, GATHER_MS)
    this.#gathered = resolve
    await promise
    this.#gathered = null
    clearTimeout(timer)
  }

  async #storeBatch(batch: readonly Entry[]): Promise<readonly StoreOutcome[]> {
    const isAwaited = batch.some((entry) => entry.isAwaited)
    const isSpooled = batch.some(({ sequence }) => sequence !== null)
    return this.#deps.storing.store(
      batch.map(({ mail }) => mail),
      {
        spool: isSpooled ? this.#deps.name : null,
        until: isAwaited ? 'synced' : 'committed',
      },
    )
  }

  #settle(batch: readonly Entry[], outcomes: readonly StoreOutcome[]): void {
    this.#alone = Math.max(0, this.#alone - batch.length)
    this.#setFailure(null)
    for (const [i, { stored, tried }] of batch.entries()) {
      tried.resolve()
      const outcome = outcomes[i]
      if (outcome === undefined) stored.reject(new Error('there are fewer outcomes than mails'))
      else stored.resolve(outcome)
    }
    this.#forget(batch)
  }

  /** What is stored need not be counted any more, and is deleted from the spool after a sync. */
  #forget(batch: readonly Entry[]): void {
    this.#ended = 0
    const spooled = batch.filter(({ sequence }) => sequence !== null)
    if (spooled.length === 0) return
    for (const entry of spooled) this.#uncount(entry)
    this.#storedTo = spooled.at(-1)?.sequence ?? this.#storedTo
    for (const resume of this.#forRoom.splice(0, PENDING_MAX - this.#pending)) resume()
    this.#syncTimer ??= this.#syncAfter(SYNC_MS)
  }

  #uncount(entry: Entry): void {
    if (entry.sequence === null || !('accepted' in entry.mail)) return
    const { recipients, raw } = entry.mail.accepted
    this.#pending -= 1
    this.#pendingBytes -= raw.length
    for (const { inboxId } of recipients) {
      if (this.#lastOfInbox.get(inboxId) === entry) this.#lastOfInbox.delete(inboxId)
    }
    this.#deps.backlog.store(ownersOf(entry.mail))
  }

  #syncAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#sync(), ms)
  }

  async #sync(): Promise<void> {
    const storedTo = this.#storedTo
    try {
      await this.#deps.storing.sync()
      this.#deps.spool.release(storedTo)
      // More may have been stored meanwhile.
      this.#syncTimer = this.#storedTo > storedTo ? this.#syncAfter(SYNC_MS) : undefined
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        'stored mails could not be synced; they stay in the spool',
      )
      this.#syncTimer = this.#syncAfter(RETRY_MS)
    }
  }

  /** Spooled mails are tried again; the senders of the others are told. */
  #putBack(batch: readonly Entry[], error: unknown): void {
    for (const entry of batch.filter(({ isAwaited }) => isAwaited)) {
      this.#uncount(entry)
      entry.tried.resolve()
      entry.stored.reject(error)
    }
    const spooled = batch.filter(({ isAwaited }) => !isAwaited)
    this.#waiting.unshift(...spooled)
    if (!(error instanceof StorageUnavailable)) throw error
    if (error instanceof StoringThreadEnded) {
      if (spooled.length > 0) this.#isolate(batch)
      return
    }
    if (this.#waiting.every(({ isAwaited }) => isAwaited)) return
    this.#setFailure(error)
    for (const { tried } of this.#waiting) tried.resolve()
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => this.#schedule(), RETRY_MS)
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
    this.#waiting.shift()
    this.#settle(batch, [{ state: 'gone', messageId: null, fullInboxes: [], sizeBytes: 0 }])
  }

  #setFailure(error: unknown): void {
    if (this.#failure === error) return
    this.#failure = error
    this.#deps.backlog.setFailing(error !== null)
    if (error === null) return
    this.#deps.log.error({ err: error }, 'accepted mails could not be stored; trying again')
    // Their mails are not spooled now.
    for (const resume of this.#forRoom.splice(0)) resume()
  }
}

/** The accounts of a mail; none of one that a crash has left, because its requests are over. */
function ownersOf({ accepted }: ArrivedMail): readonly AccountId[] {
  return accepted.recipients.flatMap(({ accountId }) => accountId ?? [])
}
