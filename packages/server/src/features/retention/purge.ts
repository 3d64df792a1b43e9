import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'

/** An inbox that is purged. */
export type PurgedInbox = {
  readonly id: InboxId
  readonly now: number
  /** Identifies a call: concurrent calls with the same key share one run. */
  readonly attempt?: number
}

/** Messages that are deleted. */
export type DeletedMessages = {
  readonly inboxId: InboxId
  readonly selection: readonly MessageId[] | 'all'
  /** As of a `PurgedInbox`. */
  readonly attempt?: number
}

/** Deletes stored mail. */
export type Purging = {
  /** Purges an inbox with all its content; false when there is none. */
  purgeInbox(owner: AccountId, inbox: PurgedInbox): Promise<boolean>
  /** Deletes messages with their content; returns their ids. */
  deleteMessages(owner: AccountId, messages: DeletedMessages): Promise<readonly MessageId[]>
}

/** Up to this much is deleted on the API's thread, which takes a few milliseconds. */
const BYTES_MAX = 4 * 1024 * 1024
const MESSAGES_MAX = 100

/** Deletes stored mail; that of an inbox with much mail in another thread. */
export function createPurging(store: Store, apart: Purging): Purging {
  const here: Purging = {
    purgeInbox: (owner, inbox) => store.purgeInbox(owner, inbox),
    deleteMessages: (owner, { inboxId, selection }) =>
      store.deleteMessages(owner, inboxId, selection),
  }
  const chosen = async (owner: AccountId, inboxId: InboxId) => {
    const fill = await store.inboxes.findFill(owner, inboxId)
    const hasMuch =
      fill !== null && (fill.sizeBytes > BYTES_MAX || fill.messageCount > MESSAGES_MAX)
    return hasMuch ? apart : here
  }
  let attempt = 0
  return {
    purgeInbox: async (owner, inbox) => {
      attempt += 1
      return (await chosen(owner, inbox.id)).purgeInbox(owner, { ...inbox, attempt })
    },
    deleteMessages: async (owner, messages) => {
      attempt += 1
      const { deleteMessages } = await chosen(owner, messages.inboxId)
      return deleteMessages(owner, { ...messages, attempt })
    },
  }
}
