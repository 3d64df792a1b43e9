import type { Message } from '@mayfly/client'
import type { Address } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button, IconButton, IconLink } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { Ago } from '../components/times.tsx'
import { copyText } from '../copy.ts'
import { saveFile } from '../download.ts'
import { exactTime, personText, sizeText, visibleText } from '../format.ts'
import { route } from '../route.ts'
import { hrefOf, listRouteOf, type Tab } from '../routes.ts'
import { messagesOf } from '../session.ts'
import { neighbourOfOpen, openNeighbour } from '../state/cursor.ts'
import { markRead } from '../state/messages.ts'
import { openMessage, showMessage } from '../state/open-message.ts'
import { shownRows } from '../state/rows.ts'
import { deleteOpenMessage } from './delete-open-message.ts'
import { MessageTabs } from './message-tabs.tsx'

/** Recipients that are shown at first: more would hide the mail. */
const PEOPLE_MAX = 3

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
        icon="download"
        label="Download as .eml"
        onClick={async () => saveFile(await messagesOf(inboxId).raw(messageId), `${messageId}.eml`)}
      />
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
  // After the keyboard the focus continues in the message, not in the list.
  useEffect(() => {
    if (document.activeElement?.closest('.messages-pane, .toolbar') !== null) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [message.id])
  const { to, cc, bcc } = recipientsOf(message)
  return (
    <header class="message-header">
      <h2 ref={heading} tabIndex={-1}>
        {visibleText(message.subject ?? 'No subject')}
      </h2>
      <dl class="envelope">
        <div>
          <dt>From</dt>
          <dd>
            <strong>
              <Sent text={personText(message.from)} />
            </strong>
            <AddressPart person={message.from} />
          </dd>
        </div>
        <People key={`to ${message.id}`} label="To" people={to} />
        <People key={`cc ${message.id}`} label="Cc" people={cc} />
        <People key={`bcc ${message.id}`} label="Bcc" people={bcc} />
      </dl>
      <p class="facts">
        {exactTime(message.receivedAt)} · <Ago at={message.receivedAt} /> ·{' '}
        {sizeText(message.sizeBytes)}
        {message.envelope.tls === null ? '' : ` · ${message.envelope.tls}`}
      </p>
    </header>
  )
}

/** The recipients of a mail; those only in its envelope are not in its headers. */
function recipientsOf({ to, cc, recipients }: Message) {
  const named = new Set([...to, ...cc].map(({ address }) => address?.toLowerCase()))
  const others = recipients
    .filter((address) => !named.has(address.toLowerCase()))
    .map((address) => ({ name: null, address }))
  return to.length === 0 ? { to: others, cc, bcc: [] } : { to, cc, bcc: others }
}

/** A line of recipients: the first few, and the others on request. */
function People(props: { readonly label: string; readonly people: readonly Address[] }) {
  const { label, people } = props
  const isWhole = useSignal(people.length <= PEOPLE_MAX)
  if (people.length === 0) return null
  const shown = isWhole.value ? people : people.slice(0, PEOPLE_MAX)
  return (
    <div>
      <dt>{label}</dt>
      {/* What scrolls must be reached by keyboard. */}
      <dd tabIndex={shown.length > PEOPLE_MAX ? 0 : undefined}>
        {shown.map((person, index) => (
          <Fragment key={index}>
            {index === 0 ? '' : ', '}
            <Sent text={personText(person)} />
            <AddressPart person={person} />
          </Fragment>
        ))}
        {isWhole.value ? null : (
          <>
            {' '}
            <button
              type="button"
              class="link"
              onClick={() => {
                isWhole.value = true
              }}
            >
              and {people.length - PEOPLE_MAX} more
            </button>
          </>
        )}
      </dd>
    </div>
  )
}

/** The address after a name. */
function AddressPart({ person: { name, address } }: { readonly person: Address }) {
  if (!name || !address) return null
  return (
    <>
      {' '}
      <Sent text={`<${address}>`} />
    </>
  )
}

/** The code, visible on every tab: most readers look for it. */
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
