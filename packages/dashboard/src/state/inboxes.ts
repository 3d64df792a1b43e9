import { ApiError, type CreateInboxOptions, type Inbox } from '@mayfly/client'
import { computed, signal } from '@preact/signals'
import { openInboxId } from '../route.ts'
import { session, signedInClient } from '../session.ts'
import { pendingDeletions } from './pending-deletions.ts'

/** An inbox with its numbers as they are now; those of `inbox` are as old as its reading. */
export type InboxEntry = {
  readonly inbox: Inbox
  readonly messageCount: number
  readonly unreadCount: number
  /** When the service counted them, by `performance.now()`. */
  readonly readAt: number
}

type CountChange = { readonly messages?: number; readonly unread?: number }

/** How long no further request to read the same inbox may come before it is read. */
const REFRESH_MS = 300

/** How late an event may come: until then what was read may have its change already. */
export const EVENT_MS_MAX = 3_000

/** A test suite may leave thousands; nobody looks through them all. */
const PAGE_SIZE = 100

const refreshing = new Map<string, ReturnType<typeof setTimeout>>()

/** Inboxes with numbers that this page has changed and the service has not yet: how many calls. */
const changing = new Map<string, number>()

/** Where older inboxes begin; null when all are listed. */
export const olderCursor = signal<string | null>(null)

/** The oldest inbox that the reader asked for; null until older ones were asked for. */
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
      return counted(entry, { messages: -leaving.length, unread: -unread.length })
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

/** Reads the active inboxes; one that is open stays although it has expired. */
export function loadInboxes(): Promise<void> {
  listing = readInboxes()
  return listing
}

/** Resolves when the last reading of all inboxes has ended, well or not. */
export function inboxesRead(): Promise<void> {
  return listing.catch(() => {})
}

async function readInboxes(): Promise<void> {
  const settle = beginReading()
  const list: Inbox[] = []
  let cursor: string | null = null
  do {
    const page = await readPage(cursor)
    list.push(...page)
    cursor = page.nextCursor
    // Ids sort by creation; the list begins with the newest.
  } while (cursor !== null && oldestAsked !== null && (list.at(-1)?.id ?? '') > oldestAsked)
  olderCursor.value = cursor
  const open = knownEntry(openInboxId.value ?? '')
  const isListed = open === undefined || list.some(({ id }) => id === open.inbox.id)
  entries.value = [...settle(list), ...(isListed ? [] : [open])]
}

/**
 * Called before inboxes are read. What it returns makes entries of them. Whether numbers that
 * changed meanwhile are in what was read is not known: they stay, and are soon read once more.
 */
function beginReading(): (read: readonly Inbox[]) => InboxEntry[] {
  const before = entriesById()
  const unsettled = new Set(changing.keys())
  return (read) => {
    const now = entriesById()
    return read.map((inbox) => {
      const known = now.get(inbox.id)
      if (known === undefined) return entryOf(inbox)
      if (known === before.get(inbox.id) && !unsettled.has(inbox.id)) return entryOf(inbox)
      refreshInbox(inbox.id)
      return { ...known, inbox }
    })
  }
}

function readPage(cursor: string | null) {
  const after = cursor === null ? {} : { cursor }
  return signedInClient().inboxes.list({ state: 'unexpired', limit: PAGE_SIZE, ...after })
}

/** Forgets all inboxes: the next to sign in may be somebody else. */
export function forgetInboxes(): void {
  entries.value = null
  oldestAsked = null
}

/** Reads the inboxes before those that are listed. */
export async function loadOlderInboxes(): Promise<void> {
  if (olderCursor.value === null) return
  const list = await readPage(olderCursor.value)
  const known = new Set(entries.value?.map(({ inbox }) => inbox.id))
  const older = list.filter(({ id }) => !known.has(id)).map(entryOf)
  entries.value = [...(entries.value ?? []), ...older]
  olderCursor.value = list.nextCursor
  oldestAsked = list.at(-1)?.id ?? oldestAsked
}

/** Adds an inbox that the list does not have: it has expired, or was created elsewhere. */
async function loadInbox(inboxId: string): Promise<Inbox> {
  const settle = beginReading()
  const read = await signedInClient().inboxes.get(inboxId)
  const others = (entries.value ?? []).filter(({ inbox }) => inbox.id !== inboxId)
  entries.value = [...others, ...settle([read])].sort((a, b) => (a.inbox.id < b.inbox.id ? 1 : -1))
  return read
}

/** An inbox of the list, or one that is read now. */
export async function inboxOf(inboxId: string): Promise<Inbox> {
  await inboxesRead()
  return knownEntry(inboxId)?.inbox ?? (await loadInbox(inboxId))
}

/** Reads one inbox anew, soon: several wishes within a moment are one call. */
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

/** Takes an inbox out of the list. */
export function forgetInbox(inboxId: string): void {
  entries.value = entries.value?.filter(({ inbox }) => inbox.id !== inboxId) ?? null
}

/** Waits for a call that changes numbers of an inbox which `countMessages` has changed before. */
export async function untilChanged(inboxId: string, call: Promise<unknown>): Promise<void> {
  changing.set(inboxId, (changing.get(inboxId) ?? 0) + 1)
  try {
    await call
  } finally {
    const others = (changing.get(inboxId) ?? 1) - 1
    if (others === 0) changing.delete(inboxId)
    else changing.set(inboxId, others)
  }
}

/** Adds to the numbers of an inbox. */
export function countMessages(inboxId: string, change: CountChange): void {
  const known = knownEntry(inboxId)
  if (known !== undefined && performance.now() - known.readAt < EVENT_MS_MAX) refreshInbox(inboxId)
  entries.value =
    entries.value?.map((entry) => (entry.inbox.id === inboxId ? counted(entry, change) : entry)) ??
    null
}

function counted(entry: InboxEntry, { messages = 0, unread = 0 }: CountChange): InboxEntry {
  return {
    ...entry,
    messageCount: Math.max(0, entry.messageCount + messages),
    unreadCount: Math.max(0, entry.unreadCount + unread),
  }
}

function entriesById(): Map<string, InboxEntry> {
  return new Map(entries.value?.map((entry) => [entry.inbox.id, entry]))
}

function knownEntry(inboxId: string): InboxEntry | undefined {
  return entries.value?.find(({ inbox }) => inbox.id === inboxId)
}

function addInbox(inbox: Inbox): void {
  const others = (entries.value ?? []).filter((entry) => entry.inbox.id !== inbox.id)
  entries.value = [entryOf(inbox), ...others]
}

function entryOf(inbox: Inbox): InboxEntry {
  const { messageCount, unreadCount } = inbox
  return { inbox, messageCount, unreadCount, readAt: performance.now() }
}
