import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Store } from '../../../store/open.ts'
import type { Access } from '../access.ts'
import { findRefs } from '../mailbox.ts'
import { byInbox, type InboxMessages } from '../search.ts'

/** What storing tags needs. */
export type StoreTagsDeps = {
  readonly store: Store
  /** Tags in a form that can be stored. */
  readonly clean: (tags: readonly string[]) => readonly string[]
}

/** What changing tags needs. */
export type TagDeps = StoreTagsDeps & {
  /** `replaceTag` in the content thread. */
  readonly replace: (
    owner: AccountId,
    replacement: TagReplacement,
  ) => Promise<readonly InboxMessages[]>
  /** Tells the streams of the account. */
  readonly publish: (changed: {
    readonly about: 'messages'
    readonly change: 'updated'
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }) => void
}

/** A tag of messages, and what replaces it; nothing when it is null. */
export type TagReplacement = {
  readonly inboxIds: readonly InboxId[]
  readonly tag: string
  readonly replacement: string | null
}

/** Messages, or sets of tags, that are changed in one transaction: other writers wait for it. */
const BATCH = 50

/** Replaces the tags of messages. */
export async function setTags(
  deps: TagDeps,
  access: Access,
  request: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<void> {
  const refs = await findRefs(deps, access, request.ids)
  const tags = deps.clean(request.tags)
  for (let at = 0; at < refs.length; at += BATCH) {
    const some = refs.slice(at, at + BATCH)
    await deps.store.transaction((tx) => tx.caught.setTags(some, tags))
    publishUpdate(deps, access, byInbox(some))
    // A query of SQLite holds the thread: others have their turn.
    await turn()
  }
}

/** Renames a tag of all messages that have it, or removes it; whether there were any. */
export async function renameTag(
  deps: TagDeps,
  access: Access,
  { tag, replacement }: Omit<TagReplacement, 'inboxIds'>,
): Promise<boolean> {
  const { caller, inboxIds } = access
  const changed = await deps.replace(caller.accountId, { inboxIds, tag, replacement })
  publishUpdate(deps, access, changed)
  return changed.length > 0
}

/**
 * Replaces a tag of all messages that have it; returns these. It reads all of them, so it does not
 * run on the API's thread: see assembly/content.ts.
 */
export async function replaceTag(
  { store, clean }: StoreTagsDeps,
  owner: AccountId,
  { inboxIds, tag, replacement }: TagReplacement,
): Promise<readonly InboxMessages[]> {
  const folded = tag.toLowerCase()
  const tagged = await store.caught.listTagged(owner, inboxIds, tag)
  const sets = [...Map.groupBy(tagged, ({ tags }) => JSON.stringify(tags)).values()]
  for (let at = 0; at < sets.length; at += BATCH) {
    await store.transaction(async (tx) => {
      for (const refs of sets.slice(at, at + BATCH)) {
        const others = (refs[0]?.tags ?? []).filter((one) => one.toLowerCase() !== folded)
        const changed = clean(replacement === null ? others : [...others, replacement])
        await tx.caught.setTags(refs, changed)
      }
    })
  }
  return byInbox(tagged)
}

function publishUpdate(
  deps: TagDeps,
  { caller: { accountId } }: Access,
  changed: readonly InboxMessages[],
): void {
  for (const { inboxId, messageIds } of changed) {
    deps.publish({ about: 'messages', change: 'updated', accountId, inboxId, messageIds })
  }
}
