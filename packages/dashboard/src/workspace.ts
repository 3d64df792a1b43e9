// Loads the data of a signed-in page. Starts with the session and not with the first rendering, so
// that the requests run while the page is drawn.

import type { Client } from '@mayfly/client'
import { effect, untracked } from '@preact/signals'
import { filterText, leaveInbox, openInboxId, openMessageId, wantedSearch } from './route.ts'
import { session } from './session.ts'
import { commitDeletions } from './state/deletions.ts'
import { forgetInboxes, inboxOf, loadInboxes } from './state/inboxes.ts'
import { followAccount } from './state/live.ts'
import { loadMessages, messageList } from './state/messages.ts'
import { openMessage, showMessage } from './state/open-message.ts'
import { runSearch, search } from './state/search.ts'
import { showError } from './state/toasts.ts'

/** Loads and follows the account of each session. */
export function followSession(): void {
  effect(() => {
    const { value } = session
    return value.state === 'signed-in' ? untracked(() => startWorkspace(value.client)) : undefined
  })
}

function startWorkspace(client: Client): () => void {
  loadInboxes().catch(showError)
  const stops = [followRoute(), followAccount(client)]
  return () => {
    commitDeletions()
    for (const stop of stops) stop()
    // Another account may sign in next.
    forgetInboxes()
    messageList.value = null
    search.value = null
    openMessage.value = null
  }
}

/** How long the reader may pause while typing before the list is read. */
const TYPING_MS = 150

/** Loads the inbox and message of the address whenever it changes. */
function followRoute(): () => void {
  let typing: ReturnType<typeof setTimeout> | undefined
  const stopInbox = effect(() => {
    const inboxId = openInboxId.value
    const q = filterText.value
    clearTimeout(typing)
    if (inboxId === null) {
      messageList.value = null
      return
    }
    untracked(() => {
      const isTyping = messageList.value?.inboxId === inboxId && messageList.value.q !== q
      if (isTyping) typing = setTimeout(() => void openInboxOf(inboxId, q), TYPING_MS)
      else void openInboxOf(inboxId, q)
    })
  })
  const stopSearch = effect(() => {
    const q = wantedSearch.value
    untracked(() => void runSearch(q))
  })
  const stopMessage = effect(() => {
    const inboxId = openInboxId.value ?? ''
    const messageId = openMessageId.value
    untracked(() => void showMessage(inboxId, messageId))
  })
  return () => {
    clearTimeout(typing)
    stopInbox()
    stopSearch()
    stopMessage()
  }
}

async function openInboxOf(inboxId: string, q: string): Promise<void> {
  const reading = loadMessages(inboxId, q)
  try {
    await inboxOf(inboxId)
  } catch (error) {
    await reading
    // `loadMessages` has shown this error.
    if (messageList.value?.state !== 'failed') showError(error)
    leaveInbox(inboxId)
  }
}
