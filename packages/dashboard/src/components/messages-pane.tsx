import { useSignal } from '@preact/signals'
import { countText, numberText } from '../format.ts'
import { filterText, navigate, route } from '../route.ts'
import { hrefOf } from '../routes.ts'
import { deleteAllMessages } from '../state/deletions.ts'
import { type InboxEntry, openInbox } from '../state/inboxes.ts'
import {
  filterProblem,
  type MessageList as List,
  loadMessages,
  loadMoreMessages,
  messageList,
} from '../state/messages.ts'
import { shownRows } from '../state/rows.ts'
import { Button, CopyButton, IconButton, IconLink } from './controls.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { MessageList } from './message-list.tsx'
import { Empty, Loading } from './notices.tsx'
import { OpenWaits } from './open-waits.tsx'
import { QUERY_LENGTH_MAX } from './search-pane.tsx'
import { Lifetime } from './times.tsx'

/** The messages of the open inbox. */
export function MessagesPane() {
  const entry = openInbox.value
  return (
    <section class="messages-pane" aria-label="Messages">
      {entry === null ? (
        <Loading lines={5} />
      ) : (
        <>
          <PaneHeader entry={entry} />
          <OpenWaits inboxId={entry.inbox.id} />
          {entry.messageCount === 0 ? null : <Filter inboxId={entry.inbox.id} />}
          <Messages inboxId={entry.inbox.id} />
        </>
      )}
    </section>
  )
}

function PaneHeader({ entry }: { readonly entry: InboxEntry }) {
  const { inbox, messageCount, unreadCount } = entry
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  return (
    <header class="pane-header">
      <IconLink icon="back" label="All inboxes" href={hrefOf({ page: 'inboxes' })} class="narrow" />
      <div class="pane-title">
        <h2 class="address" title={inbox.emailAddress}>
          {inbox.emailAddress}
        </h2>
        <p class="facts">
          {countText(messageCount, 'message')}
          {unreadCount > 0 ? `, ${numberText(unreadCount)} unread` : ''}
          {' · '}
          <Lifetime inbox={inbox} />
        </p>
      </div>
      <CopyButton text={inbox.emailAddress} what="address" />
      <IconLink
        icon="info"
        label="About this inbox"
        href={hrefOf({ page: 'details', inboxId: inbox.id })}
      />
      <IconButton
        icon="trash"
        label="Delete all messages"
        isDisabled={messageCount === 0}
        onClick={setConfirming(true)}
      />
      {isConfirming.value ? (
        <ConfirmDialog
          title="Delete all messages?"
          text={`All messages of ${inbox.emailAddress} are deleted at once. The inbox stays.`}
          action="Delete all"
          onConfirm={() => deleteAllMessages(inbox.id)}
          onClose={setConfirming(false)}
        />
      ) : null}
    </header>
  )
}

function Filter({ inboxId }: { readonly inboxId: string }) {
  const q = filterText.value
  return (
    <>
      <div class="filter">
        <Icon name="search" size={14} />
        <input
          id="filter"
          type="search"
          placeholder="Search this inbox"
          aria-label="Search this inbox"
          aria-describedby={filterProblem.value === null ? undefined : 'filter-problem'}
          autocomplete="off"
          maxLength={QUERY_LENGTH_MAX}
          value={q}
          onInput={(event) => {
            const { value } = event.currentTarget
            const to =
              route.value.page === 'message' ? route.value : ({ page: 'inbox', inboxId } as const)
            navigate({ ...to, q: value }, { replace: true })
          }}
        />
        {q === '' ? (
          <span class="key" aria-hidden="true">
            /
          </span>
        ) : (
          <a class="button plain small" href={hrefOf({ page: 'search', q })}>
            All inboxes
          </a>
        )}
      </div>
      {filterProblem.value === null ? null : (
        <p class="filter-problem" id="filter-problem" role="status">
          {filterProblem.value}
        </p>
      )}
    </>
  )
}

function Messages({ inboxId }: { readonly inboxId: string }) {
  const list = messageList.value
  if (list === null || list.state === 'loading') return <Loading lines={6} />
  if (list.state === 'failed') return <NotRead list={list} />
  if (shownRows.value.length === 0) {
    return filterProblem.value === null ? <NoMessages q={list.q} /> : null
  }
  return (
    <MessageList
      key={inboxId}
      label="Messages, newest first"
      href={({ id: messageId }) =>
        hrefOf({
          ...{ page: 'message', inboxId, messageId, tab: null },
          ...(list.q === '' ? {} : { q: list.q }),
        })
      }
      onNearEnd={() => void loadMoreMessages()}
    />
  )
}

function NotRead({ list: { inboxId, q } }: { readonly list: List }) {
  return (
    <Empty icon="mail" title="The messages could not be read">
      <Button isSmall onClick={() => loadMessages(inboxId, q)}>
        Try again
      </Button>
    </Empty>
  )
}

function NoMessages({ q }: { readonly q: string }) {
  if (q !== '') {
    return (
      <Empty icon="search" title="Nothing matches">
        No message of this inbox matches “{q}”.
      </Empty>
    )
  }
  return (
    <Empty icon="mail" title="Waiting for the first mail">
      It appears here the moment it arrives.
    </Empty>
  )
}
