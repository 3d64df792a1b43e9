import type { Client } from '@mayfly/client'
import { effect, untracked, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './components/controls.tsx'
import { CreateInbox } from './components/create-inbox.tsx'
import { InboxDetail } from './components/inbox-detail.tsx'
import { MessagesPane } from './components/messages-pane.tsx'
import { Empty, Loading, Toasts } from './components/notices.tsx'
import { ShortcutsHelp } from './components/shortcuts-help.tsx'
import { Sidebar } from './components/sidebar.tsx'
import { MessageView } from './message/message-view.tsx'
import { AccountPageView } from './pages/account-page.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { navigate, openInboxId, openMessageId, route } from './route.ts'
import type { Route } from './routes.ts'
import { session } from './session.ts'
import { inboxes, inboxOf, loadInboxes, openInbox } from './state/inboxes.ts'
import { followAccount } from './state/live.ts'
import { loadMessages, messageList } from './state/messages.ts'
import { openMessage, showMessage } from './state/open-message.ts'
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
  const isAccount = !('inboxId' in shown) && shown.page !== 'inboxes'
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
            {openInboxId.value === null ? null : <MessagesPane />}
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

/** Which pane has the place where there is room for one or two. */
function paneOf(shown: Route): string {
  if (shown.page === 'inbox') return isEmptyInbox() ? 'details' : 'inbox'
  return 'inboxId' in shown || shown.page === 'inboxes' ? shown.page : 'account'
}

function isEmptyInbox(): boolean {
  return messageList.value?.state === 'ready' && openInbox.value?.messageCount === 0
}

function Detail({ shown }: { readonly shown: Route }) {
  if (shown.page === 'message') {
    return <MessageView inboxId={shown.inboxId} messageId={shown.messageId} tab={shown.tab} />
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

/** Reads what the address names whenever it changes. */
function followRoute(): () => void {
  const stopInbox = effect(() => {
    const inboxId = openInboxId.value
    if (inboxId === null) {
      messageList.value = null
      return
    }
    untracked(() => void openInboxOf(inboxId))
  })
  const stopMessage = effect(() => {
    const inboxId = openInboxId.value ?? ''
    const messageId = openMessageId.value
    untracked(() => void showMessage(inboxId, messageId))
  })
  return () => {
    stopInbox()
    stopMessage()
    // The next to sign in may be somebody else.
    inboxes.value = null
    messageList.value = null
    openMessage.value = null
  }
}

async function openInboxOf(inboxId: string): Promise<void> {
  try {
    await inboxOf(inboxId)
    await loadMessages(inboxId)
  } catch (error) {
    showError(error)
    navigate({ page: 'inboxes' }, { replace: true })
  }
}
