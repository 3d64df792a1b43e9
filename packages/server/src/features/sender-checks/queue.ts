// Sender checks that are due. A mail is waiting, running, or suspect:
//
//   waiting → running → done
//                     → suspect → running alone → done, or given up
//
// A mail is suspect when the thread that checked it was ended, because it crashed or one of the
// mails in it blocked it. It is checked again while no other is; if the thread is ended once more,
// the mail is the cause.

import type { AccountId } from '@mayfly/contract'
import { CheckInterrupted } from '../../errors.ts'

/** A mail to check, and the account on whose behalf. */
export type MailToCheck = { readonly mailId: string; readonly accountId: AccountId }

export type CheckQueueDeps = {
  /** Checks a mail and stores the verdict; throws CheckInterrupted when its thread was ended. */
  readonly check: (mailId: string) => Promise<unknown>
  /** Stores a verdict for a mail whose check ends the thread. */
  readonly giveUp: (mailId: string) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Checks at the same time. Each mostly waits for DNS. */
const RUNNING_MAX = 16

/** The same for one account, whose senders may have name servers that do not respond. */
const RUNNING_MAX_PER_ACCOUNT = 4

/**
 * Mails of an account that may wait. The oldest are dropped; they are checked when they are next
 * read.
 */
const WAITING_MAX_PER_ACCOUNT = 1_000

type Entry = MailToCheck & { readonly done: () => void }

/**
 * Checks mails, the accounts in rotation, the newest of an account first: a test needs the verdict
 * of the mail that it has just sent.
 */
export class CheckQueue {
  readonly #deps: CheckQueueDeps
  /** Accounts in the order of the rotation. */
  readonly #waiting = new Map<AccountId, Entry[]>()
  readonly #running = new Map<AccountId, number>()
  readonly #suspects: Entry[] = []
  /** Of every mail that is not done yet. */
  readonly #pending = new Map<string, Promise<void>>()
  #runningCount = 0
  #isOneAlone = false
  #isStopped = false

  constructor(deps: CheckQueueDeps) {
    this.#deps = deps
  }

  /** Resolves when the mail was checked, or dropped. */
  add(mail: MailToCheck): Promise<void> {
    const pending = this.#pending.get(mail.mailId)
    if (pending !== undefined) return pending
    if (this.#isStopped) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.set(mail.mailId, promise)
    const done = () => {
      this.#pending.delete(mail.mailId)
      resolve()
    }
    const waiting = this.#waiting.get(mail.accountId) ?? []
    waiting.push({ ...mail, done })
    if (waiting.length > WAITING_MAX_PER_ACCOUNT) waiting.shift()?.done()
    this.#waiting.set(mail.accountId, waiting)
    this.#startNext()
    return promise
  }

  /** Drops waiting mails, and resolves when the running checks have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const dropped = [...this.#waiting.values(), this.#suspects].flat()
    this.#waiting.clear()
    this.#suspects.length = 0
    for (const { done } of dropped) done()
    await Promise.all(this.#pending.values())
  }

  #startNext(): void {
    if (this.#isOneAlone) return
    if (this.#suspects.length > 0) {
      if (this.#runningCount > 0) return
      const suspect = this.#suspects.shift()
      if (suspect !== undefined) void this.#start(suspect, true)
      return
    }
    while (this.#runningCount < RUNNING_MAX) {
      const entry = this.#takeNext()
      if (entry === null) return
      void this.#start(entry, false)
    }
  }

  /** The newest mail of the next account that has not too many running. */
  #takeNext(): Entry | null {
    for (const [accountId, waiting] of this.#waiting) {
      if ((this.#running.get(accountId) ?? 0) >= RUNNING_MAX_PER_ACCOUNT) continue
      const entry = waiting.pop()
      // The account goes to the end of the rotation.
      this.#waiting.delete(accountId)
      if (waiting.length > 0) this.#waiting.set(accountId, waiting)
      if (entry !== undefined) return entry
    }
    return null
  }

  async #start(entry: Entry, isAlone: boolean): Promise<void> {
    this.#count(entry.accountId, 1)
    this.#isOneAlone = isAlone
    await this.#check(entry, isAlone)
    this.#count(entry.accountId, -1)
    this.#isOneAlone = false
    this.#startNext()
  }

  /** Never throws. */
  async #check(entry: Entry, isAlone: boolean): Promise<void> {
    try {
      await this.#deps.check(entry.mailId)
    } catch (error) {
      if (!this.#isStopped && error instanceof CheckInterrupted && !isAlone) {
        this.#suspects.push(entry)
        return
      }
      await this.#afterFailure(entry, error)
    }
    entry.done()
  }

  async #afterFailure(entry: Entry, error: unknown): Promise<void> {
    if (this.#isStopped) return
    if (error instanceof CheckInterrupted) {
      await this.#deps.giveUp(entry.mailId).catch(this.#deps.onError)
    } else this.#deps.onError(error)
  }

  #count(accountId: AccountId, change: 1 | -1): void {
    this.#runningCount += change
    const count = (this.#running.get(accountId) ?? 0) + change
    if (count === 0) this.#running.delete(accountId)
    else this.#running.set(accountId, count)
  }
}
