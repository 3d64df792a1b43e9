import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Store } from '../../../store/open.ts'
import type { CaughtRef } from '../../../store/tables/caught.ts'
import type { Access } from '../access.ts'

/** What changing tags needs. */
export type TagDeps = {
  readonly store: Store
  /** Tags in a form that can be stored. */
  readonly clean: (tags: readonly string[]) => readonly string[]
  /** Tells the streams of the account. */
  readonly publish: (changed: {
    readonly about: 'messages'
    readonly change: 'updated'
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }) => void
}

/** Replaces the tags of messages. */
export async function setTags(
  deps: TagDeps,
  { caller: { accountId }, inboxIds }: Access,
  request: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<void> {
  const refs = await deps.store.caught.findRefs(accountId, inboxIds, request.ids)
  const tags = deps.clean(request.tags)
  await deps.store.transaction((tx) => tx.caught.setTags(refs, tags))
  publishUpdate(deps, accountId, refs)
}

/** Renames a tag of all messages that have it, or removes it; whether there were any. */
export async function replaceTag(
  deps: TagDeps,
  { caller: { accountId }, inboxIds }: Access,
  { tag, replacement }: { readonly tag: string; readonly replacement: string | null },
): Promise<boolean> {
  const folded = tag.toLowerCase()
  const tagged = (await deps.store.caught.list(accountId, inboxIds)).filter(({ tags }) =>
    tags.some((one) => one.toLowerCase() === folded),
  )
  const byTags = Map.groupBy(tagged, ({ tags }) => JSON.stringify(tags))
  for (const refs of byTags.values()) {
    const others = (refs[0]?.tags ?? []).filter((one) => one.toLowerCase() !== folded)
    const changed = deps.clean(replacement === null ? others : [...others, replacement])
    await deps.store.transaction((tx) => tx.caught.setTags(refs, changed))
  }
  publishUpdate(deps, accountId, tagged)
  return tagged.length > 0
}

function publishUpdate(deps: TagDeps, accountId: AccountId, refs: readonly CaughtRef[]): void {
  for (const [inboxId, own] of Map.groupBy(refs, (ref) => ref.inboxId)) {
    const messageIds = own.map(({ messageId }) => messageId)
    deps.publish({ about: 'messages', change: 'updated', accountId, inboxId, messageIds })
  }
}
