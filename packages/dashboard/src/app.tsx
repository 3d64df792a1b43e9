import { useSignal } from '@preact/signals'
import { Button } from './components/controls.tsx'
import { CreateInbox } from './components/create-inbox.tsx'
import { InboxDetail } from './components/inbox-detail.tsx'
import { MessagesPane } from './components/messages-pane.tsx'
import { Empty, Loading, Toasts } from './components/notices.tsx'
import { SearchHelp } from './components/search-help.tsx'
import { NewestPane, SearchPane } from './components/search-pane.tsx'
import { ShortcutsHelp } from './components/shortcuts-help.tsx'
import { Sidebar } from './components/sidebar.tsx'
import { MessageView } from './message/message-view.tsx'
import { AccountPageView } from './pages/account-page.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { isNewestShown, openInboxId, route, searchText } from './route.ts'
import type { AccountPage, Route } from './routes.ts'
import { session } from './session.ts'
import { inboxes, openInbox } from './state/inboxes.ts'
import { messageList } from './state/messages.ts'

/** The whole page. */
export function App() {
  const { value } = session
  if (value.state === 'starting') return null
  return (
    <>
      {value.state === 'signed-out' ? <SignIn reason={value.reason} /> : <Workspace />}
      <Toasts />
    </>
  )
}

function Workspace() {
  const shown = route.value
  return (
    <>
      <main class="workspace" data-pane={paneOf(shown)}>
        <h1 class="unseen">{openInbox.value?.inbox.emailAddress ?? 'Mayfly'}</h1>
        <Sidebar />
        {isAccountRoute(shown) ? (
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
      <ShortcutsHelp />
    </>
  )
}

function ListPane() {
  if (isNewestShown.value) {
    const isNew = route.value.page === 'inboxes' && !inboxes.value?.length
    return isNew ? null : <NewestPane />
  }
  if (searchText.value !== null) return <SearchPane />
  return openInboxId.value === null ? null : <MessagesPane />
}

function isAccountRoute(shown: Route): shown is { readonly page: AccountPage } {
  return paneOf(shown) === 'account'
}

/** Which pane has the place where there is room for one or two. */
function paneOf(shown: Route): string {
  if (shown.page === 'inbox') return isEmptyInbox() ? 'details' : 'inbox'
  if ('inboxId' in shown || shown.page === 'inboxes') return shown.page
  return shown.page === 'search' || shown.page === 'mail' ? 'search' : 'account'
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
        title={
          inboxes.value?.length === 0 ? 'Create your first inbox' : 'Choose a mail or an inbox'
        }
      >
        <p>An inbox is an email address that exists as long as your test needs it.</p>
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
