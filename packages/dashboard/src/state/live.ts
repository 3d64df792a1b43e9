// What happens in the account reaches the page here, and nowhere else.
//
//   connecting → live       the stream is open
//   live → connecting       it ended; it is opened again after the last event that was read
//   connecting → polling    the account has no slot for a stream: look every few seconds
//   connecting → offline    nobody answers; tried again, ever more slowly
//   any → signed out        the key was refused

import { signal } from '@preact/signals'
import { type AccountEvent, readAccountEvents, StreamRefused } from '../account-events.ts'
import { announceArrivals } from '../notifications.ts'
import { endRevoked } from '../session.ts'
import { applyEvents } from './apply-events.ts'
import { loadInboxes } from './inboxes.ts'
import { loadMessages, messageList } from './messages.ts'
import { heldWaits } from './waits.ts'

/** How the page learns of changes. */
export type LiveState = 'connecting' | 'live' | 'polling' | 'offline'

/** How the page learns of changes now. */
export const liveState = signal<LiveState>('connecting')

const POLL_MS = 10_000
const RETRY_MS = 500
const RETRY_MS_MAX = 10_000
/** A hidden page has no frames to go by. */
const HIDDEN_BATCH_MS = 250

let queued: AccountEvent[] = []
let received = 0

/** Follows the account; returns how to stop. */
export function followAccount(apiKey: string): () => void {
  const abort = new AbortController()
  void follow(apiKey, abort.signal)
  return () => {
    abort.abort()
    queued = []
    heldWaits.value = []
  }
}

async function follow(apiKey: string, signal: AbortSignal): Promise<void> {
  let lastEventId: string | null = null
  let retryMs = RETRY_MS
  while (!signal.aborted) {
    try {
      const onOpen = () => {
        liveState.value = 'live'
        heldWaits.value = []
        // Only now: what comes from here on is announced, so nothing falls between.
        if (lastEventId === null) void loadAgain()
      }
      for await (const { id, event } of readAccountEvents({
        apiKey,
        lastEventId,
        signal,
        onOpen,
      })) {
        if (id !== '') lastEventId = id
        retryMs = RETRY_MS
        enqueue(event)
      }
      liveState.value = 'connecting'
    } catch (error) {
      if (signal.aborted) return
      const status = error instanceof StreamRefused ? error.status : 0
      if (status === 401) {
        endRevoked(apiKey)
        return
      }
      lastEventId = null
      liveState.value = status === 429 || status === 404 ? 'polling' : 'offline'
      if (liveState.value === 'polling') {
        void loadAgain()
        retryMs = POLL_MS
      }
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    retryMs = Math.min(retryMs * 2, RETRY_MS_MAX)
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
  try {
    for (let turn = -1; turn !== received; ) {
      turn = received
      await loadInboxes()
      const open = messageList.value
      if (open !== null && open.state === 'ready') await loadMessages(open.inboxId)
    }
  } catch {
    // The next attempt to open the stream says what is wrong.
  }
}
