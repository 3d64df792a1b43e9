import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Store } from '../../../store/open.ts'
import { cleanTags } from '../../rules/tags.ts'
import type { Access } from '../access.ts'
import { findRefs } from '../mailbox.ts'
import { byInbox, type InboxMessages } from '../search.ts'

/** Whether tags of messages were set, or one tag was renamed or removed. */
type TagChange = 'tags' | 'tagNames'

export type TagDeps = {
  readonly store: Store
  /** Functions that run in another thread. */
  readonly content: {
    readonly countTags: (
      owner: AccountId,
      inboxIds: readonly InboxId[],
    ) => Promise<ReadonlyMap<string, number>>
    readonly replaceTag: (
      owner: AccountId,
      replacement: TagReplacement,
    ) => Promise<readonly InboxMessages[]>
  }
  /** Sends the signal to the streams of the account. */
  readonly publish: (changed: {
    readonly about: 'messages'
    readonly change: TagChange
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }) => void
}

/** A tag of messages, and the tag that replaces it; null deletes it. */
export type TagReplacement = {
  readonly inboxIds: readonly InboxId[]
  readonly tag: string
  readonly replacement: string | null
}

/** Messages, or sets of tags, that are changed in one transaction: other writers wait for it. */
const BATCH = 50

/** How many messages have each tag. */
export function countTags(
  { content }: Pick<TagDeps, 'content'>,
  { caller, inboxIds }: Access,
): Promise<ReadonlyMap<string, number>> {
  return content.countTags(caller.accountId, inboxIds)
}

/** Replaces the tags of messages. */
export async function setTags(
  deps: TagDeps,
  access: Access,
  request: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<void> {
  const refs = await findRefs(deps, access, request.ids)
  const tags = cleanTags(request.tags)
  for (let at = 0; at < refs.length; at += BATCH) {
    const some = refs.slice(at, at + BATCH)
    await deps.store.transaction((tx) => tx.catchAllMessages.setTags(some, tags))
    publishUpdate(deps, access, { change: 'tags', changed: byInbox(some) })
    // SQLite queries block this thread; yield between them.
    await yieldToLoop()
  }
}

/** Renames a tag of all messages that have it, or removes it; whether there were any. */
export async function renameTag(
  deps: TagDeps,
  access: Access,
  { tag, replacement }: Omit<TagReplacement, 'inboxIds'>,
): Promise<boolean> {
  const { caller, inboxIds } = access
  const changed = await deps.content.replaceTag(caller.accountId, { inboxIds, tag, replacement })
  // One event for all of an inbox: they have the same reason.
  const first = changed.map(({ inboxId, messageIds }) => {
    return { inboxId, messageIds: messageIds.slice(0, 1) }
  })
  publishUpdate(deps, access, { change: 'tagNames', changed: first })
  return changed.length > 0
}

/**
 * Replaces a tag of all messages that have it; returns these. It reads all of them, so it does not
 * run on the API's thread: see app/content.ts.
 */
export async function replaceTag(
  { store }: Pick<TagDeps, 'store'>,
  owner: AccountId,
  { inboxIds, tag, replacement }: TagReplacement,
): Promise<readonly InboxMessages[]> {
  const folded = tag.toLowerCase()
  const tagged = await store.catchAllMessages.listTagged(owner, inboxIds, tag)
  const sets = [...Map.groupBy(tagged, ({ tags }) => JSON.stringify(tags)).values()]
  for (let at = 0; at < sets.length; at += BATCH) {
    await store.transaction(async (tx) => {
      for (const refs of sets.slice(at, at + BATCH)) {
        const others = (refs[0]?.tags ?? []).filter((one) => one.toLowerCase() !== folded)
        const changed = cleanTags(replacement === null ? others : [...others, replacement])
        await tx.catchAllMessages.setTags(refs, changed)
      }
    })
  }
  return byInbox(tagged)
}

function publishUpdate(
  deps: TagDeps,
  { caller: { accountId } }: Access,
  { change, changed }: { readonly change: TagChange; readonly changed: readonly InboxMessages[] },
): void {
  for (const { inboxId, messageIds } of changed) {
    deps.publish({ about: 'messages', change, accountId, inboxId, messageIds })
  }
}
