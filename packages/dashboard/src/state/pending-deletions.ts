import { signal } from '@preact/signals'

/** A message that is about to be deleted, unless the reader takes it back. */
export type PendingDeletion = {
  readonly inboxId: string
  readonly isUnread: boolean
  /** Deletes it in the service. */
  readonly commit: () => Promise<void>
}

/** What is about to be deleted, by the ids of messages: neither listed nor counted. */
export const pendingDeletions = signal<ReadonlyMap<string, PendingDeletion>>(new Map())

/** Takes messages out of what is about to be deleted. */
export function forgetPending(isGone: (messageId: string, inboxId: string) => boolean): void {
  const left = [...pendingDeletions.value].filter(([id, { inboxId }]) => !isGone(id, inboxId))
  if (left.length < pendingDeletions.value.size) pendingDeletions.value = new Map(left)
}
