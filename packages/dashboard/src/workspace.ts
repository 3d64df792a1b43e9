// What a signed-in page reads. It begins with the session and not with the first rendering: what
// the page shows is then on its way while it is drawn.

import type { Client } from '@mayfly/client'
import { effect, untracked } from '@preact/signals'
import { filterText, leaveInbox, openInboxId, openMessageId, searchText } from './route.ts'
import { session } from './session.ts'
import { commitDeletions } from './state/deletions.ts'
import { forgetInboxes, inboxOf, loadInboxes } from './state/inboxes.ts'
import { followAccount } from './state/live.ts'
import { loadMessages, messageList } from './state/messages.ts'
import { openMessage, showMessage } from './state/open-message.ts'
import { runSearch, search } from './state/search.ts'
import { showError } from './state/toasts.ts'

/** Reads and follows the account of the session, whoever is signed in. */
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
    // The next to sign in may be somebody else.
    forgetInboxes()
    messageList.value = null
    search.value = null
    openMessage.value = null
  }
}

/** How long the reader may pause while typing before the list is read. */
const TYPING_MS = 150

/** Reads what the address names whenever it changes. */
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
    const q = searchText.value
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
    // Who reads the list has said the same.
    if (messageList.value?.state !== 'failed') showError(error)
    leaveInbox(inboxId)
  }
}
