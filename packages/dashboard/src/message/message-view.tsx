import type { Message } from '@mayfly/client'
import { useEffect, useRef } from 'preact/hooks'
import { Button, IconButton, IconLink } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { Ago } from '../components/times.tsx'
import { copyText } from '../copy.ts'
import { exactTime, personText, sizeText } from '../format.ts'
import { route } from '../route.ts'
import { hrefOf, listRouteOf, type Tab } from '../routes.ts'
import { neighbourOfOpen, openNeighbour } from '../state/cursor.ts'
import { markRead } from '../state/messages.ts'
import { openMessage, showMessage } from '../state/open-message.ts'
import { shownRows } from '../state/rows.ts'
import { deleteOpenMessage } from './delete-open-message.ts'
import { MessageTabs } from './message-tabs.tsx'

/** The open message. */
export function MessageView(props: {
  readonly inboxId: string
  readonly messageId: string
  readonly tab: Tab | null
}) {
  const { inboxId, messageId } = props
  const open = openMessage.value
  const message = open?.messageId === messageId ? open.message : null
  const error = open?.messageId === messageId ? open.error : null
  return (
    <article class="message">
      <Toolbar {...props} message={message} />
      {error === null ? null : (
        <Failure error={error} onRetry={() => void showMessage(inboxId, messageId)} />
      )}
      {message === null && error === null ? <Loading lines={6} /> : null}
      {message === null ? null : (
        <>
          <Heading message={message} />
          {props.tab === 'code' ? null : <CodeStrip message={message} />}
          <MessageTabs message={message} tab={props.tab} />
        </>
      )}
    </article>
  )
}

function Toolbar(props: {
  readonly inboxId: string
  readonly messageId: string
  readonly tab: Tab | null
  readonly message: Message | null
}) {
  const { inboxId, messageId, tab } = props
  const listed = shownRows.value.find(({ id }) => id === messageId)
  const summary = listed ?? props.message
  const list =
    route.value.page === 'message'
      ? listRouteOf(route.value)
      : ({ page: 'inbox', inboxId } as const)
  return (
    <div class="toolbar" role="toolbar" aria-label="Message">
      <IconLink icon="back" label="Back to the list" href={hrefOf(list)} />
      <IconButton
        icon="up"
        label="Previous message"
        isDisabled={neighbourOfOpen(-1) === null}
        onClick={() => openNeighbour(-1, tab)}
      />
      <IconButton
        icon="down"
        label="Next message"
        isDisabled={neighbourOfOpen(1) === null}
        onClick={() => openNeighbour(1, tab)}
      />
      <span class="spring" />
      <IconButton
        icon="unread"
        label={summary?.read === false ? 'Mark as read' : 'Mark as unread'}
        isDisabled={summary === null}
        onClick={() => (summary === null ? null : markRead(inboxId, summary, !summary.read))}
      />
      <IconButton
        icon="trash"
        label="Delete message"
        isDisabled={summary === null}
        onClick={() => (summary === null ? null : deleteOpenMessage(inboxId, summary))}
      />
    </div>
  )
}

function Heading({ message }: { readonly message: Message }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A reader who came by keyboard goes on from the message, not from the list.
  useEffect(() => {
    if (document.activeElement?.closest('.messages-pane, .toolbar') !== null) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [message.id])
  return (
    <header class="message-header">
      <h2 ref={heading} tabIndex={-1}>
        {message.subject ?? 'No subject'}
      </h2>
      <dl class="envelope">
        <div>
          <dt>From</dt>
          <dd>
            <strong>{personText(message.from)}</strong>
            {message.from.name === null ? null : ` <${message.from.address ?? ''}>`}
          </dd>
        </div>
        <div>
          <dt>To</dt>
          <dd>{message.to.map(personText).join(', ') || message.envelope.rcptTo}</dd>
        </div>
        {message.cc.length === 0 ? null : (
          <div>
            <dt>Cc</dt>
            <dd>{message.cc.map(personText).join(', ')}</dd>
          </div>
        )}
      </dl>
      <p class="facts">
        {exactTime(message.receivedAt)} · <Ago at={message.receivedAt} suffix=" ago" /> ·{' '}
        {sizeText(message.sizeBytes)}
        {message.envelope.tls === null ? '' : ` · ${message.envelope.tls}`}
      </p>
    </header>
  )
}

/** The code, wherever the reader is in the message: it is what most people came for. */
function CodeStrip({ message: { otp } }: { readonly message: Message }) {
  if (otp === null) return null
  return (
    <div class="code-strip">
      <span class="code-label">Code</span>
      <output class="code-value">{otp.value}</output>
      <span class="spring" />
      <Button kind="primary" icon="copy" onClick={() => copyText(otp.value, 'Code')}>
        Copy
        <span class="key" aria-hidden="true">
          c
        </span>
      </Button>
    </div>
  )
}
