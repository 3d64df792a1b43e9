import type { CreateInboxOptions, Inbox } from '@mayfly/client'
import { computed, signal } from '@preact/signals'
import { openInboxId } from '../route.ts'
import { session, signedInClient } from '../session.ts'

/** An inbox with its numbers as they are now; those of `inbox` are as old as its reading. */
export type InboxEntry = {
  readonly inbox: Inbox
  readonly messageCount: number
  readonly unreadCount: number
}

/** How long further wishes to read the same inbox are awaited. */
const REFRESH_MS = 300

/** A test suite may leave thousands; nobody looks through them all. */
const PAGE_SIZE = 100

const refreshing = new Set<string>()

/** How often the numbers of an inbox have changed here. */
const changes = new Map<string, number>()

/** Where older inboxes begin; null when all are listed. */
export const olderCursor = signal<string | null>(null)

/** The inboxes, newest first; null until they were read. */
export const inboxes = signal<readonly InboxEntry[] | null>(null)

/** The inbox that is open; null without one, or until it was read. */
export const openInbox = computed<InboxEntry | null>(
  () => inboxes.value?.find(({ inbox }) => inbox.id === openInboxId.value) ?? null,
)

/** Unread messages of the account. */
export const unreadTotal = computed<number>(
  () => inboxes.value?.reduce((sum, { unreadCount }) => sum + unreadCount, 0) ?? 0,
)

/** Reads the active inboxes; one that is open stays although it has expired. */
export async function loadInboxes(): Promise<void> {
  const list = await signedInClient().inboxes.list({ limit: PAGE_SIZE })
  olderCursor.value = list.nextCursor
  const open = openInbox.value
  const entries = list.map(entryOf)
  const isListed = open === null || entries.some(({ inbox }) => inbox.id === open.inbox.id)
  inboxes.value = isListed ? entries : [...entries, open]
}

/** Reads the inboxes before those that are listed. */
export async function loadOlderInboxes(): Promise<void> {
  if (olderCursor.value === null) return
  const cursor = olderCursor.value
  const list = await signedInClient().inboxes.list({ limit: PAGE_SIZE, cursor })
  const known = new Set(inboxes.value?.map(({ inbox }) => inbox.id))
  const older = list.filter(({ id }) => !known.has(id)).map(entryOf)
  inboxes.value = [...(inboxes.value ?? []), ...older]
  olderCursor.value = list.nextCursor
}

/** Adds an inbox that the list does not have: it has expired, or was created elsewhere. */
async function loadInbox(inboxId: string): Promise<InboxEntry> {
  const before = changes.get(inboxId)
  const entry = entryOf(await signedInClient().inboxes.get(inboxId))
  // Whether these changes are in what was read is not known.
  if (changes.get(inboxId) !== before) refreshInbox(inboxId)
  const others = (inboxes.value ?? []).filter(({ inbox }) => inbox.id !== inboxId)
  inboxes.value = [...others, entry].sort((a, b) => (a.inbox.id < b.inbox.id ? 1 : -1))
  return entry
}

/** An inbox of the list, or one that is read now. */
export async function inboxOf(inboxId: string): Promise<Inbox> {
  const known = inboxes.value?.find(({ inbox }) => inbox.id === inboxId)
  return (known ?? (await loadInbox(inboxId))).inbox
}

/** Reads one inbox anew, soon: several wishes within a moment are one call. */
export function refreshInbox(inboxId: string): void {
  if (refreshing.has(inboxId)) return
  refreshing.add(inboxId)
  setTimeout(() => {
    refreshing.delete(inboxId)
    // It may be gone by now, which is announced as well.
    if (session.value.state === 'signed-in') loadInbox(inboxId).catch(() => forgetInbox(inboxId))
  }, REFRESH_MS)
}

/** Creates an inbox. */
export async function createInbox(options: CreateInboxOptions): Promise<Inbox> {
  const inbox = await signedInClient().inboxes.create(options)
  addInbox(inbox)
  return inbox
}

/** Deletes an inbox with all its content. */
export async function deleteInbox(inboxId: string): Promise<void> {
  await signedInClient().inboxes.delete(inboxId)
  forgetInbox(inboxId)
}

/** Takes an inbox out of the list. */
export function forgetInbox(inboxId: string): void {
  inboxes.value = inboxes.value?.filter(({ inbox }) => inbox.id !== inboxId) ?? null
}

/** Adds to the numbers of an inbox. */
export function countMessages(
  inboxId: string,
  change: { readonly messages?: number; readonly unread?: number },
): void {
  changes.set(inboxId, (changes.get(inboxId) ?? 0) + 1)
  inboxes.value =
    inboxes.value?.map((entry) =>
      entry.inbox.id === inboxId
        ? {
            ...entry,
            messageCount: Math.max(0, entry.messageCount + (change.messages ?? 0)),
            unreadCount: Math.max(0, entry.unreadCount + (change.unread ?? 0)),
          }
        : entry,
    ) ?? null
}

function addInbox(inbox: Inbox): void {
  const others = (inboxes.value ?? []).filter((entry) => entry.inbox.id !== inbox.id)
  inboxes.value = [entryOf(inbox), ...others]
}

function entryOf(inbox: Inbox): InboxEntry {
  return { inbox, messageCount: inbox.messageCount, unreadCount: inbox.unreadCount }
}
