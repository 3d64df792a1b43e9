import { useSignal } from '@preact/signals'
import { countText, numberText } from '../format.ts'
import { isNewestShown, openInboxId, route, searchText } from '../route.ts'
import { type AccountPage, hrefOf } from '../routes.ts'
import { type InboxEntry, inboxes, loadOlderInboxes, olderCursor } from '../state/inboxes.ts'
import { liveState } from '../state/live.ts'
import { waitsOf } from '../state/waits.ts'
import { Button, IconButton } from './controls.tsx'
import { CreateInbox } from './create-inbox.tsx'
import { Icon, type IconName, Logo } from './icon.tsx'
import { Loading } from './notices.tsx'
import { Lifetime } from './times.tsx'

const PAGES: readonly (readonly [page: AccountPage, text: string, icon: IconName])[] = [
  ['keys', 'Keys', 'key'],
  ['domains', 'Domains', 'globe'],
  ['webhooks', 'Webhooks', 'webhook'],
  ['scenarios', 'Scenarios', 'scenario'],
  ['usage', 'Usage', 'chart'],
  ['settings', 'Settings', 'settings'],
]

const LIVE_TEXT = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Checking every few seconds',
  offline: 'The service cannot be reached',
} as const

/** The inboxes and the pages of the account. */
export function Sidebar() {
  const isCreating = useSignal(false)
  return (
    <nav class="sidebar" aria-label="Inboxes and account">
      <header>
        <a class="brand" href={hrefOf({ page: 'inboxes' })}>
          <Logo />
          Mayfly
        </a>
        <span class={`live-dot ${liveState.value}`} title={LIVE_TEXT[liveState.value]}>
          <span class="unseen">{LIVE_TEXT[liveState.value]}</span>
        </span>
      </header>
      <a
        class="search-link"
        href={hrefOf({ page: 'search', q: '' })}
        aria-current={searchText.value === null || isNewestShown.value ? undefined : 'page'}
      >
        <Icon name="search" size={14} />
        Search all inboxes
        <span class="key" aria-hidden="true">
          s
        </span>
      </a>
      <a
        class="nav-row all-mail"
        href={hrefOf({ page: 'mail' })}
        aria-current={isNewestShown.value ? 'page' : undefined}
      >
        <Icon name="mail" />
        All mail
      </a>
      <div class="sidebar-title">
        <h2>Inboxes</h2>
        <IconButton
          icon="plus"
          label="New inbox"
          onClick={() => {
            isCreating.value = true
          }}
        />
      </div>
      <InboxList />
      <ul class="pages">
        {PAGES.map(([page, text, icon]) => (
          <li key={page}>
            <a
              class="nav-row"
              href={hrefOf({ page })}
              aria-current={route.value.page === page ? 'page' : undefined}
            >
              <Icon name={icon} />
              {text}
            </a>
          </li>
        ))}
      </ul>
      {isCreating.value ? (
        <CreateInbox
          onClose={() => {
            isCreating.value = false
          }}
        />
      ) : null}
    </nav>
  )
}

function InboxList() {
  if (inboxes.value === null) return <Loading />
  if (inboxes.value.length === 0) return <p class="sidebar-empty">No active inbox yet.</p>
  return (
    <ul class="inbox-list">
      {inboxes.value.map((entry) => (
        <li key={entry.inbox.id}>
          <InboxRow entry={entry} />
        </li>
      ))}
      {olderCursor.value === null ? null : (
        <li class="older">
          <Button isSmall onClick={loadOlderInboxes}>
            Show older inboxes
          </Button>
        </li>
      )}
    </ul>
  )
}

function InboxRow({ entry }: { readonly entry: InboxEntry }) {
  const { inbox, messageCount, unreadCount } = entry
  const [local, domain] = inbox.emailAddress.split('@')
  const waits = waitsOf(inbox.id).length
  return (
    <a
      class={`inbox-row${unreadCount > 0 ? ' unread' : ''}`}
      href={hrefOf({ page: 'inbox', inboxId: inbox.id })}
      aria-current={openInboxId.value === inbox.id ? 'true' : undefined}
    >
      <span class="row-line">
        <span class="inbox-name">{local}</span>
        {waits > 0 ? (
          <span class="waiting" title={countText(waits, 'open wait')}>
            <span class="unseen">{countText(waits, 'test')} waiting</span>
          </span>
        ) : null}
        {unreadCount > 0 ? (
          <span class="count">
            {numberText(unreadCount)}
            <span class="unseen"> unread</span>
          </span>
        ) : null}
      </span>
      <span class="inbox-facts">
        <span>@{domain}</span>
        <span>
          {numberText(messageCount)}
          <span class="unseen"> messages</span>
          {' · '}
          <Lifetime inbox={inbox} />
        </span>
      </span>
    </a>
  )
}
