// The order in which received mails are stored, and what happens when that fails. The sender of a
// mail waits until it is stored: nothing is acknowledged before, so no acknowledged mail is lost.
//
//   idle      No mail is being stored.
//   storing   A batch is being stored. Mails that arrive meanwhile are the next batch.
//   failing   A batch has failed. Its mails are tried one by one: one that fails again is refused,
//             all others are stored. When the storage does not respond, all that wait are refused.
//   stopping  As storing, for the remaining mails. A new one is refused.
//
// A transaction whose COMMIT got no response is run again with the same mails, until its outcome is
// known. A mail whose inbox is locked by another transaction leaves its batch and waits for the
// lock apart, with the others of that inbox. Later ones queue behind it, even without the lock.

import { setTimeout as delay } from 'node:timers/promises'
import type { InboxId } from '@mayfly/contract'
import { StorageUnavailable, ThreadEnded } from '../errors.ts'
import { createBatching } from '../platform/batching.ts'
import { elapsedMs } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { type MailToStore, unreadBytes } from './received-mail.ts'
import type { StoredMail, StoreOptions } from './store-mails.ts'

/** Composes mails, where that was not done before, and stores them in one transaction. */
export type StoreBatch = (
  batch: readonly MailToStore[],
  options: StoreOptions,
) => Promise<readonly (StoredMail | 'locked')[]>

export type MailStoringDeps = {
  readonly storeBatch: StoreBatch
  /** Throws when the storage does not respond. */
  readonly ping: () => Promise<void>
  /** Of one transaction: the next mail waits for it, and the worst take 0.2 ms a kilobyte. */
  readonly batchMax: { readonly mails: number; readonly bytes: number }
  /** How long a transaction whose COMMIT got no response is run again. */
  readonly uncertainMsMax: number
  readonly log: Log
}

type State = 'idle' | 'storing' | 'failing' | 'stopping'

type Entry = PromiseWithResolvers<StoredMail> & { readonly mail: MailToStore }

/** Pause before a transaction whose COMMIT got no response is run again. */
const REPEAT_MS = 100

/** Longest wait for the storage to respond, before mail is refused with a temporary error. */
const PING_MS_MAX = 1_000

/** Transactions at a time that wait for locked inboxes. The storage has more connections. */
const LOCK_WAITS_MAX = 4

/** How long a failure counts against this node after the last mail: others must be tried, too. */
const FAILURE_MS = 10_000

/** Stores mails in the order in which they were received. */
export class MailStoring {
  readonly #deps: MailStoringDeps
  readonly #waitForLock: (mail: MailToStore) => Promise<StoredMail | 'locked'>
  #state: State = 'idle'
  #waiting: Entry[] = []
  #running: Promise<void> = Promise.resolve()
  readonly #lockWaits = new Set<Promise<void>>()
  /** The inboxes of mails that wait for a lock, and how many do for each. */
  readonly #lockedInboxes = new Map<InboxId, number>()
  #lastFailure: { readonly error: StorageUnavailable; readonly atMs: number } | null = null

  constructor(deps: MailStoringDeps) {
    this.#deps = deps
    this.#waitForLock = createBatching(
      (batch: readonly MailToStore[]) => this.#store(batch, { ifLocked: 'wait', isRepeated: true }),
      { keyOf: inboxesOf, runsMax: LOCK_WAITS_MAX },
    )
  }

  /** Resolves when the mail is on the disk and announced, or has no place in any inbox. */
  store(mail: MailToStore): Promise<StoredMail> {
    if (this.#state === 'stopping') {
      return Promise.reject(new StorageUnavailable('the service is stopping', false))
    }
    const entry = { ...Promise.withResolvers<StoredMail>(), mail }
    this.#waiting.push(entry)
    if (this.#state === 'idle') {
      this.#state = 'storing'
      this.#running = this.#run()
    }
    return entry.promise
  }

  /** Throws when the last mail could not be stored. */
  check(): void {
    const failure = this.#lastFailure
    if (failure !== null && elapsedMs() - failure.atMs < FAILURE_MS) throw failure.error
  }

  /** Resolves when all mails are stored or refused. */
  async stop(): Promise<void> {
    this.#state = 'stopping'
    await this.#running
    await Promise.all(this.#lockWaits)
  }

  async #run(): Promise<void> {
    // After all ready sockets have been read, so that their mails share one batch.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch().filter((entry) => !this.#joinsLockWait(entry))
      if (batch.length === 0) continue
      try {
        const results = await this.#store(mailsOf(batch), {
          ifLocked: 'leaveOut',
          isRepeated: false,
        })
        this.#settle(batch, results)
      } catch (error) {
        await this.#storeOneByOne(batch, error)
      }
    }
    if (this.#state !== 'stopping') this.#state = 'idle'
  }

  #takeBatch(): readonly Entry[] {
    const { mails, bytes } = this.#deps.batchMax
    let size = 0
    const end = this.#waiting.findIndex(({ mail }, i) => {
      size += unreadBytes(mail)
      return i > 0 && (i >= mails || size > bytes)
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  /** Stores a batch; runs its transaction again while its outcome is unknown. */
  async #store(
    batch: readonly MailToStore[],
    { ifLocked, ...given }: StoreOptions,
  ): ReturnType<StoreBatch> {
    const giveUpMs = elapsedMs() + this.#deps.uncertainMsMax
    let { isRepeated } = given
    let isUncertain = false
    for (;;) {
      try {
        return await this.#deps.storeBatch(batch, { ifLocked, isRepeated })
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        isUncertain ||= error.isUncertain
        if (!isUncertain || elapsedMs() >= giveUpMs) throw error
      }
      isRepeated = true
      await delay(REPEAT_MS)
    }
  }

  async #storeOneByOne(batch: readonly Entry[], batchError: unknown): Promise<void> {
    let error = batchError
    const left = [...batch]
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      if (this.#state !== 'stopping') this.#state = 'failing'
      if (await this.#isStorageLost(error)) {
        for (const lost of [entry, ...left, ...this.#waiting.splice(0)]) this.#refuse(lost, error)
        break
      }
      try {
        const options = { ifLocked: 'leaveOut', isRepeated: true } as const
        this.#settle([entry], await this.#store([entry.mail], options))
      } catch (ownError) {
        error = ownError
        this.#refuse(entry, error)
        if (isOfTheMail(error)) {
          this.#deps.log.error({ err: error, mailId: idOf(entry.mail) }, 'a mail was not stored')
        }
      }
    }
    if (this.#state === 'failing') this.#state = 'storing'
  }

  /** Whether the next mail would fail, too. A full disk may have space for a smaller one. */
  async #isStorageLost(error: unknown): Promise<boolean> {
    if (isOfTheMail(error) || (error instanceof StorageUnavailable && error.full)) return false
    const responded = this.#deps.ping().then(
      () => false,
      () => true,
    )
    return Promise.race([responded, delay(PING_MS_MAX, true, { ref: false })])
  }

  #settle(entries: readonly Entry[], results: readonly (StoredMail | 'locked')[]): void {
    for (const [i, entry] of entries.entries()) {
      const result = results[i]
      if (result === undefined) entry.reject(new Error('a mail has no result'))
      else if (result === 'locked') this.#waitApart(entry)
      else {
        this.#lastFailure = null
        entry.resolve(result)
      }
    }
  }

  /** Whether earlier mails for an inbox of this one wait for its lock; then it waits, too. */
  #joinsLockWait(entry: Entry): boolean {
    const isBehind = entry.mail.recipients.some(({ inboxId }) => this.#lockedInboxes.has(inboxId))
    if (isBehind) this.#waitApart(entry)
    return isBehind
  }

  #waitApart(entry: Entry): void {
    const inboxIds = new Set(entry.mail.recipients.map(({ inboxId }) => inboxId))
    for (const id of inboxIds) {
      this.#lockedInboxes.set(id, (this.#lockedInboxes.get(id) ?? 0) + 1)
    }
    const waiting = this.#storeLocked(entry).finally(() => {
      this.#lockWaits.delete(waiting)
      for (const id of inboxIds) {
        const left = (this.#lockedInboxes.get(id) ?? 1) - 1
        if (left === 0) this.#lockedInboxes.delete(id)
        else this.#lockedInboxes.set(id, left)
      }
    })
    this.#lockWaits.add(waiting)
  }

  async #storeLocked(entry: Entry): Promise<void> {
    try {
      this.#settle([entry], [await this.#waitForLock(entry.mail)])
    } catch (error) {
      this.#refuse(entry, error)
    }
  }

  #refuse({ reject }: Entry, error: unknown): void {
    // Not of a full disk: other checks ask the disk, and see when it has space again.
    if (error instanceof StorageUnavailable && !isOfTheMail(error) && !error.full) {
      this.#lastFailure = { error, atMs: elapsedMs() }
    }
    reject(error instanceof ThreadEnded ? error.cause : error)
  }
}

/** Whether a mail that was tried alone is probably itself the reason for the failure. */
function isOfTheMail(error: unknown): boolean {
  return !(error instanceof StorageUnavailable) || error instanceof ThreadEnded
}

const mailsOf = (entries: readonly Entry[]) => entries.map(({ mail }) => mail)

function idOf(mail: MailToStore): string {
  return 'mail' in mail ? mail.mail.id : mail.id
}

function inboxesOf({ recipients }: MailToStore): string {
  return [...new Set(recipients.map(({ inboxId }) => inboxId))].sort().join()
}
