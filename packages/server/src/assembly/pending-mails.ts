// The mails of a spool that are not stored yet: how many and how large they are, in all and by
// inbox. Requests wait for those of their inbox or account; senders wait for room.

import type { InboxId } from '@mayfly/contract'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { Backlog } from '../platform/backlog.ts'
import type { Entry } from './storing-entry.ts'

/** More wait for room. */
const MAILS_MAX = 8_192
const BYTES_MAX = 32 * 1024 * 1024

/** The share of these from which on mails are not stored later, but at once. */
const MUCH = 0.75

type OfInbox = { readonly last: Entry; readonly count: number }

/** Counts the mails of a spool that are not stored yet. */
export class PendingMails {
  readonly #backlog: Backlog
  readonly #ofInboxMax: number
  readonly #ofInbox = new Map<InboxId, OfInbox>()
  #mails = 0
  #bytes = 0
  #forRoom: (() => void)[] = []

  /** `ofInboxMax` of one inbox: fewer than one that is far from full has room for. */
  constructor(backlog: Backlog, ofInboxMax: number) {
    this.#backlog = backlog
    this.#ofInboxMax = ofInboxMax
  }

  get isEmpty(): boolean {
    return this.#mails === 0
  }

  /** Whether another mail may be added. */
  get hasRoom(): boolean {
    return this.#mails < MAILS_MAX && this.#bytes < BYTES_MAX
  }

  /** Whether there may soon be no more room. */
  get areMany(): boolean {
    return this.#mails >= MUCH * MAILS_MAX || this.#bytes >= MUCH * BYTES_MAX
  }

  /** The last mail of an inbox; undefined without one. */
  lastOf(inboxId: InboxId): Entry | undefined {
    return this.#ofInbox.get(inboxId)?.last
  }

  /** Whether another mail of an inbox may be added, as long as that was far from its limits. */
  hasRoomFor(inboxId: InboxId): boolean {
    return (this.#ofInbox.get(inboxId)?.count ?? 0) < this.#ofInboxMax
  }

  add(entry: Entry, mail: ArrivedMail): void {
    this.#mails += 1
    this.#bytes += mail.accepted.raw.length
    for (const { inboxId } of mail.accepted.recipients) {
      const count = (this.#ofInbox.get(inboxId)?.count ?? 0) + 1
      this.#ofInbox.set(inboxId, { last: entry, count })
    }
    this.#backlog.accept(entry.buckets)
  }

  remove({ buckets }: Entry, mail: ArrivedMail): void {
    this.#mails -= 1
    this.#bytes -= mail.accepted.raw.length
    for (const { inboxId } of mail.accepted.recipients) {
      const pending = this.#ofInbox.get(inboxId)
      if (pending === undefined || pending.count === 1) this.#ofInbox.delete(inboxId)
      else this.#ofInbox.set(inboxId, { ...pending, count: pending.count - 1 })
    }
    this.#backlog.store(buckets)
  }

  /** Resolves when there may be room. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#forRoom.push(resolve))
  }

  /** Lets as many go on as there is room for. */
  grantRoom(): void {
    for (const resume of this.#forRoom.splice(0, MAILS_MAX - this.#mails)) resume()
  }

  /** Lets all go on that wait for room. */
  endWaits(): void {
    for (const resume of this.#forRoom.splice(0)) resume()
  }
}
