import { ApiError, type CreateInboxOptions, type Inbox } from '@mayfly/client'
import { computed, signal } from '@preact/signals'
import { openInboxId } from '../route.ts'
import { session, signedInClient } from '../session.ts'
import { pendingDeletions } from './pending-deletions.ts'

/** How many messages an inbox has, by the service. */
type Counts = Pick<Inbox, 'messageCount' | 'unreadCount'>

/** An inbox with its numbers as they are now; those of `inbox` are as old as its reading. */
export type InboxEntry = Counts & { readonly inbox: Inbox }

/** How long no further request to read the same inbox may come before it is read. */
const REFRESH_MS = 300

/** A test suite may create thousands, too many to read. */
const PAGE_SIZE = 100

const refreshing = new Map<string, ReturnType<typeof setTimeout>>()

/** Counts of events during a request for inboxes: its response may be older. */
const countedMeanwhile = new Map<string, Counts>()

/** How many readings of inboxes are in progress. */
let readings = 0

/** Where older inboxes begin; null when all are listed. */
export const olderCursor = signal<string | null>(null)

/** The oldest inbox that was loaded on request; null before such a request. */
let oldestAsked: string | null = null

/** The inboxes as the service has them. */
const entries = signal<readonly InboxEntry[] | null>(null)

/** The last reading of all inboxes. */
let listing: Promise<void> = Promise.resolve()

/** The inboxes, newest first; null until they were read. Pending deletions are not counted. */
export const inboxes = computed<readonly InboxEntry[] | null>(() => {
  const pending = [...pendingDeletions.value.values()]
  if (pending.length === 0) return entries.value
  return (
    entries.value?.map((entry) => {
      const leaving = pending.filter(({ inboxId }) => inboxId === entry.inbox.id)
      const unread = leaving.filter(({ isUnread }) => isUnread)
      return {
        ...entry,
        messageCount: entry.messageCount - leaving.length,
        unreadCount: entry.unreadCount - unread.length,
      }
    }) ?? null
  )
})

/** The inbox that is open; null without one, or until it was read. */
export const openInbox = computed<InboxEntry | null>(
  () => inboxes.value?.find(({ inbox }) => inbox.id === openInboxId.value) ?? null,
)

/** Unread messages of the account. */
export const unreadTotal = computed<number>(
  () => inboxes.value?.reduce((sum, { unreadCount }) => sum + unreadCount, 0) ?? 0,
)

/** Loads the active inboxes; an open one stays although it has expired. */
export function loadInboxes(): Promise<void> {
  listing = readInboxes()
  return listing
}

/** Resolves when the last reading of all inboxes has ended, well or not. */
export function inboxesRead(): Promise<void> {
  return listing.catch(() => {})
}

async function readInboxes(): Promise<void> {
  const list = await readEntries(async () => {
    const read: Inbox[] = []
    let cursor: string | null = null
    do {
      const page = await readPage(cursor)
      read.push(...page.inboxes)
      cursor = page.nextCursor
      // Ids sort by creation; the list begins with the newest.
    } while (cursor !== null && oldestAsked !== null && (read.at(-1)?.id ?? '') > oldestAsked)
    olderCursor.value = cursor
    return read
  })
  const open = knownEntry(openInboxId.value ?? '')
  const isListed = open === undefined || list.some(({ inbox }) => inbox.id === open.inbox.id)
  entries.value = [...list, ...(isListed ? [] : [open])]
}

async function readEntries(read: () => Promise<readonly Inbox[]>): Promise<InboxEntry[]> {
  readings += 1
  try {
    return (await read()).map((inbox) => entryOf(inbox, countedMeanwhile.get(inbox.id)))
  } finally {
    readings -= 1
    if (readings === 0) countedMeanwhile.clear()
  }
}

function readPage(cursor: string | null) {
  const after = cursor === null ? {} : { cursor }
  return signedInClient().inboxes.list({ state: 'unexpired', limit: PAGE_SIZE, ...after })
}

/** Forgets all inboxes: another account may sign in next. */
export function forgetInboxes(): void {
  entries.value = null
  oldestAsked = null
}

/** Reads the inboxes before those that are listed. */
export async function loadOlderInboxes(): Promise<void> {
  if (olderCursor.value === null) return
  const cursor = olderCursor.value
  const list = await readEntries(async () => {
    const page = await readPage(cursor)
    olderCursor.value = page.nextCursor
    return page.inboxes
  })
  const known = new Set(entries.value?.map(({ inbox }) => inbox.id))
  const older = list.filter(({ inbox }) => !known.has(inbox.id))
  entries.value = [...(entries.value ?? []), ...older]
  oldestAsked = list.at(-1)?.inbox.id ?? oldestAsked
}

/** Adds an inbox that the list does not have: it has expired, or was created elsewhere. */
async function loadInbox(inboxId: string): Promise<Inbox> {
  const getting = signedInClient().inboxes.get(inboxId)
  const read = await readEntries(async () => [await getting])
  const others = (entries.value ?? []).filter(({ inbox }) => inbox.id !== inboxId)
  entries.value = [...others, ...read].sort((a, b) => (a.inbox.id < b.inbox.id ? 1 : -1))
  return getting
}

/** An inbox of the list, or else from the service. */
export async function inboxOf(inboxId: string): Promise<Inbox> {
  await inboxesRead()
  return knownEntry(inboxId)?.inbox ?? (await loadInbox(inboxId))
}

/** Reloads one inbox; calls within 300 ms become one. */
export function refreshInbox(inboxId: string): void {
  clearTimeout(refreshing.get(inboxId))
  const timer = setTimeout(() => {
    refreshing.delete(inboxId)
    if (session.value.state !== 'signed-in') return
    loadInbox(inboxId).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) forgetInbox(inboxId)
    })
  }, REFRESH_MS)
  refreshing.set(inboxId, timer)
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

/** Removes an inbox from the list. */
export function forgetInbox(inboxId: string): void {
  entries.value = entries.value?.filter(({ inbox }) => inbox.id !== inboxId) ?? null
}

/** Replaces the counts of an inbox by those of the service. */
export function setCounts(inboxId: string, counts: Counts): void {
  if (readings > 0) countedMeanwhile.set(inboxId, counts)
  entries.value =
    entries.value?.map((entry) =>
      entry.inbox.id === inboxId ? entryOf(entry.inbox, counts) : entry,
    ) ?? null
}

/** Subtracts a message that this page has deleted, until the service sends the numbers. */
export function subtractDeleted(inboxId: string, isUnread: boolean): void {
  const known = knownEntry(inboxId)
  if (known === undefined) return
  const unreadCount = known.unreadCount - (isUnread ? 1 : 0)
  setCounts(inboxId, { messageCount: known.messageCount - 1, unreadCount })
}

function knownEntry(inboxId: string): InboxEntry | undefined {
  return entries.value?.find(({ inbox }) => inbox.id === inboxId)
}

function addInbox(inbox: Inbox): void {
  const others = (entries.value ?? []).filter((entry) => entry.inbox.id !== inbox.id)
  entries.value = [entryOf(inbox), ...others]
}

function entryOf(inbox: Inbox, counts: Counts = inbox): InboxEntry {
  return { inbox, messageCount: counts.messageCount, unreadCount: counts.unreadCount }
}
