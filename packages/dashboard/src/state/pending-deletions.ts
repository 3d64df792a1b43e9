import { signal } from '@preact/signals'

/** A message that is about to be deleted, unless the reader undoes it. */
export type PendingDeletion = {
  readonly inboxId: string
  readonly isUnread: boolean
  /** Deletes it in the service. */
  readonly commit: () => Promise<void>
}

/** Pending deletions by message id: these messages are neither listed nor counted. */
export const pendingDeletions = signal<ReadonlyMap<string, PendingDeletion>>(new Map())

/** Removes messages from the pending deletions. */
export function forgetPending(isGone: (messageId: string, inboxId: string) => boolean): void {
  const left = [...pendingDeletions.value].filter(([id, { inboxId }]) => !isGone(id, inboxId))
  if (left.length < pendingDeletions.value.size) pendingDeletions.value = new Map(left)
}
