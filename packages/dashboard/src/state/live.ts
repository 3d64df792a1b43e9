// What happens in the account reaches the page here, and nowhere else.
//
//   connecting → live       the stream is open
//   live → connecting       it was lost; the client opens it again after the last event
//   connecting → polling    the account has no slot for a stream: look every few seconds
//   connecting → offline    nobody answers; tried again
//   any → signed out        the key was refused: the session has seen to that

import { type AccountEvent, ApiError, type Client } from '@mayfly/client'
import { signal } from '@preact/signals'
import { announceArrivals } from '../notifications.ts'
import { applyEvents } from './apply-events.ts'
import { inboxesRead, loadInboxes } from './inboxes.ts'
import { loadMessages, messageList, messagesRead } from './messages.ts'
import { heldWaits } from './waits.ts'

/** How the page learns of changes. */
type LiveState = 'connecting' | 'live' | 'polling' | 'offline'

/** How the page learns of changes now. */
export const liveState = signal<LiveState>('connecting')

const POLL_MS = 10_000
const RETRY_MS = 3_000
/** A hidden page has no frames to go by. */
const HIDDEN_BATCH_MS = 250

let queued: AccountEvent[] = []
let received = 0

/** Follows the account; returns how to stop. */
export function followAccount(client: Client): () => void {
  const abort = new AbortController()
  void follow(client, abort.signal)
  return () => {
    abort.abort()
    queued = []
    heldWaits.value = []
  }
}

async function follow(client: Client, signal: AbortSignal): Promise<void> {
  const onOpen = () => {
    liveState.value = 'live'
    // The stream begins with those that are held.
    heldWaits.value = []
    // Only now: what comes from here on is announced, so nothing falls between.
    void loadAgain()
  }
  const onLost = () => {
    liveState.value = 'connecting'
  }
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ signal, onOpen, onLost })) enqueue(event)
    } catch (error) {
      const isRefused = error instanceof ApiError
      liveState.value = isRefused ? 'polling' : 'offline'
      if (isRefused) void loadAgain()
      await new Promise((resolve) => setTimeout(resolve, isRefused ? POLL_MS : RETRY_MS))
    }
  }
}

function enqueue(event: AccountEvent): void {
  received += 1
  queued.push(event)
  if (queued.length > 1) return
  if (document.hidden) setTimeout(flush, HIDDEN_BATCH_MS)
  else requestAnimationFrame(flush)
}

function flush(): void {
  const events = queued
  queued = []
  if (events.some(({ type }) => type === 'reset')) void loadAgain()
  applyEvents(events)
  announceArrivals(events)
}

/** Reads what is shown once more; again, when something was announced meanwhile. */
async function loadAgain(): Promise<void> {
  // What is on its way is shown first; it may have been asked for before the stream was open.
  await Promise.all([inboxesRead(), messagesRead()])
  try {
    for (let turn = -1; turn !== received; ) {
      turn = received
      await loadInboxes()
      const open = messageList.value
      if (open !== null) await loadMessages(open.inboxId, open.q)
    }
  } catch {
    // The next attempt to open the stream says what is wrong.
  }
}
