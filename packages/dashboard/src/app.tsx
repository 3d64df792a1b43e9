import type { Client } from '@mayfly/client'
import { effect, untracked, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './components/controls.tsx'
import { CreateInbox } from './components/create-inbox.tsx'
import { InboxDetail } from './components/inbox-detail.tsx'
import { MessagesPane } from './components/messages-pane.tsx'
import { Empty, Loading, Toasts } from './components/notices.tsx'
import { SearchHelp } from './components/search-help.tsx'
import { SearchPane } from './components/search-pane.tsx'
import { ShortcutsHelp } from './components/shortcuts-help.tsx'
import { Sidebar } from './components/sidebar.tsx'
import { MessageView } from './message/message-view.tsx'
import { AccountPageView } from './pages/account-page.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { filterText, navigate, openInboxId, openMessageId, route, searchText } from './route.ts'
import type { Route } from './routes.ts'
import { session } from './session.ts'
import { inboxes, inboxOf, loadInboxes, openInbox } from './state/inboxes.ts'
import { followAccount } from './state/live.ts'
import { loadMessages, messageList } from './state/messages.ts'
import { openMessage, showMessage } from './state/open-message.ts'
import { runSearch, search } from './state/search.ts'
import { showError } from './state/toasts.ts'

/** The whole page. */
export function App() {
  const { value } = session
  if (value.state === 'starting') return null
  if (value.state === 'signed-out') return <SignIn reason={value.reason} />
  return <Workspace client={value.client} />
}

function Workspace({ client }: { readonly client: Client }) {
  useEffect(() => {
    const stops = [followAccount(client), followRoute()]
    loadInboxes().catch(showError)
    return () => {
      for (const stop of stops) stop()
    }
  }, [client])
  const shown = route.value
  const isAccount = !('inboxId' in shown) && shown.page !== 'inboxes' && shown.page !== 'search'
  return (
    <>
      <main class="workspace" data-pane={paneOf(shown)}>
        <h1 class="unseen">{openInbox.value?.inbox.emailAddress ?? 'Mayfly'}</h1>
        <Sidebar />
        {isAccount ? (
          <div class="page">
            <AccountPageView page={shown.page} />
          </div>
        ) : (
          <>
            <ListPane />
            <div class="detail-pane">
              <Detail shown={shown} />
            </div>
          </>
        )}
      </main>
      <Toasts />
      <ShortcutsHelp />
    </>
  )
}

function ListPane() {
  if (searchText.value !== null) return <SearchPane />
  return openInboxId.value === null ? null : <MessagesPane />
}

/** Which pane has the place where there is room for one or two. */
function paneOf(shown: Route): string {
  if (shown.page === 'inbox') return isEmptyInbox() ? 'details' : 'inbox'
  if ('inboxId' in shown || shown.page === 'inboxes') return shown.page
  return shown.page === 'search' ? 'search' : 'account'
}

function isEmptyInbox(): boolean {
  return messageList.value?.state === 'ready' && openInbox.value?.messageCount === 0
}

function Detail({ shown }: { readonly shown: Route }) {
  if (shown.page === 'message') {
    return <MessageView inboxId={shown.inboxId} messageId={shown.messageId} tab={shown.tab} />
  }
  if (shown.page === 'search') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      <section class="search-help-detail" aria-label="How to search" tabIndex={0}>
        <SearchHelp />
      </section>
    )
  }
  if (openInbox.value !== null) return <InboxDetail entry={openInbox.value} />
  if (inboxes.value === null || openInboxId.value !== null) return <Loading lines={5} />
  return <Welcome />
}

function Welcome() {
  const isCreating = useSignal(false)
  return (
    <div class="welcome">
      <Empty
        icon="inbox"
        title={inboxes.value?.length === 0 ? 'Create your first inbox' : 'Choose an inbox'}
      >
        <p>An inbox is an address that lives as long as your test needs it.</p>
        <Button
          kind="primary"
          icon="plus"
          onClick={() => {
            isCreating.value = true
          }}
        >
          New inbox
        </Button>
      </Empty>
      {isCreating.value ? (
        <CreateInbox
          onClose={() => {
            isCreating.value = false
          }}
        />
      ) : null}
    </div>
  )
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
    // The next to sign in may be somebody else.
    inboxes.value = null
    messageList.value = null
    search.value = null
    openMessage.value = null
  }
}

async function openInboxOf(inboxId: string, q: string): Promise<void> {
  try {
    await inboxOf(inboxId)
    await loadMessages(inboxId, q)
  } catch (error) {
    showError(error)
    navigate({ page: 'inboxes' }, { replace: true })
  }
}
