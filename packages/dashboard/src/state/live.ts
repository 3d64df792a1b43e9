// The only place where the events of the account reach the page.
//
//   connecting → live       the stream is open
//   live → connecting       it was lost; the client opens it again after the last event
//   connecting → polling    the account has no slot for a stream: polls every few seconds
//   connecting → offline    no response, or none for some seconds after the loss; tried again
//   offline → live          the shown data is read again
//   any → signed out        the key was refused: the session has seen to that

import { type AccountEvent, ApiError, type Client, ConnectionError } from '@mayfly/client'
import { signal } from '@preact/signals'
import { announceArrivals } from '../notifications.ts'
import { isNewestShown } from '../route.ts'
import { applyEvents } from './apply-events.ts'
import { inboxesRead, loadInboxes } from './inboxes.ts'
import { loadMessages, messageList, messagesRead } from './messages.ts'
import { openMessage, showMessage } from './open-message.ts'
import { runSearch } from './search.ts'
import { dismissUnreachable, showError } from './toasts.ts'
import { openWaits } from './waits.ts'

/** How the page learns of changes. */
type LiveState = 'connecting' | 'live' | 'polling' | 'offline'

/** How the page learns of changes now. */
export const liveState = signal<LiveState>('connecting')

const POLL_MS = 10_000
const RETRY_MS = 3_000
/** How long a lost stream may take to open again: a restart of the service, a change of network. */
const LOST_MS_MAX = 3_000
/** A hidden page has no frames to go by. */
const HIDDEN_BATCH_MS = 250

let queued: AccountEvent[] = []
let received = 0
let losing: ReturnType<typeof setTimeout> | undefined

/** Follows the account; returns how to stop. */
export function followAccount(client: Client): () => void {
  const abort = new AbortController()
  void follow(client, abort.signal)
  return () => {
    abort.abort()
    clearTimeout(losing)
    queued = []
    openWaits.value = []
  }
}

async function follow(client: Client, signal: AbortSignal): Promise<void> {
  const onOpen = () => {
    setState('live')
    // The stream begins with the open ones.
    openWaits.value = []
    // Only now: later changes are announced, so that none is missed.
    void loadAgain()
  }
  const onLost = () => {
    // Further attempts that fail do not give it more time.
    if (liveState.value !== 'live') return
    setState('connecting')
    losing = setTimeout(setState, LOST_MS_MAX, 'offline')
  }
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ signal, onOpen, onLost })) enqueue(event)
    } catch (error) {
      const isRefused = error instanceof ApiError
      setState(isRefused ? 'polling' : 'offline')
      if (isRefused) void loadAgain()
      await new Promise((resolve) => setTimeout(resolve, isRefused ? POLL_MS : RETRY_MS))
    }
  }
}

function setState(state: LiveState): void {
  clearTimeout(losing)
  // Once: the reader may have dismissed it.
  if (state === 'offline' && liveState.value !== state) showError(new ConnectionError(''))
  if (state === 'live' || state === 'polling') dismissUnreachable()
  liveState.value = state
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

/** Reads the shown data again; once more after an announcement in the meantime. */
async function loadAgain(): Promise<void> {
  // Waits for requests in progress; they may be from before the stream was open.
  await Promise.all([inboxesRead(), messagesRead()])
  try {
    for (let turn = -1; turn !== received; ) {
      turn = received
      await loadInboxes()
      const open = messageList.value
      if (open !== null) await loadMessages(open.inboxId, open.q)
      if (isNewestShown.value) await runSearch('')
      const message = openMessage.value
      if (open !== null && message?.error) await showMessage(open.inboxId, message.messageId)
    }
  } catch {
    // The next attempt to open the stream reports the error.
  }
}
