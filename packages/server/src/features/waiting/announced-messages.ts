import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { AnnouncedMessage } from '../../store/tables/candidates.ts'

/** Searches after an announcement. Further ones query the store, which lets the loop turn. */
const SEARCHES_MAX = 100

/**
 * Messages as they were announced, for the waits that the announcement wakes. It spares them the
 * queries of the store: one to look, another to read.
 *
 * They are kept until the event loop turns. A wait that began before a message was stored may get
 * it even if it is deleted at the same moment; one that began later has looked past its number.
 */
export class AnnouncedMessages {
  /** Of each inbox those without a gap between their numbers, the oldest first. */
  readonly #byInbox = new Map<InboxId, AnnouncedMessage[]>()
  readonly #byId = new Map<MessageId, AnnouncedMessage>()
  #searches = 0

  /** Keeps these messages until the waits that are woken next have looked. */
  add(messages: readonly AnnouncedMessage[]): void {
    if (messages.length === 0) return
    if (this.#byId.size === 0) setImmediate(() => this.#clear())
    for (const message of messages) {
      const others = this.#byInbox.get(message.inboxId)
      const isNext = others?.at(-1)?.sequence === message.sequence - 1
      if (others !== undefined && isNext) others.push(message)
      else this.#byInbox.set(message.inboxId, [message])
      this.#byId.set(message.id, message)
    }
  }

  /**
   * The messages of an inbox with numbers above `after`, the newest first; null when there may be
   * others that are not known here.
   */
  listAfter(owner: AccountId, inboxId: InboxId, after: number): readonly AnnouncedMessage[] | null {
    const messages = this.#byInbox.get(inboxId)
    const oldest = messages?.[0]
    if (messages === undefined || oldest === undefined || oldest.accountId !== owner) return null
    if (oldest.sequence > after + 1 || ++this.#searches > SEARCHES_MAX) return null
    return messages.filter(({ sequence }) => sequence > after).reverse()
  }

  /** A message that was announced in this turn of the event loop. */
  find(owner: AccountId, id: MessageId): AnnouncedMessage | null {
    const message = this.#byId.get(id)
    return message?.accountId === owner ? message : null
  }

  #clear(): void {
    this.#byInbox.clear()
    this.#byId.clear()
    this.#searches = 0
  }
}
