import type { MessageSummary } from '@mayfly/client'
import { personText } from '../format.ts'
import { Badge } from './controls.tsx'
import { Icon } from './icon.tsx'
import { Marked } from './marked.tsx'
import { Ago } from './times.tsx'

/** One message of the list. */
export function MessageRow(props: {
  readonly href: string
  /** The name of its inbox, where messages of several are listed. */
  readonly inboxName?: string | null
  readonly message: MessageSummary
  readonly isOpen: boolean
  /** Whether the Tab key comes here; the arrows go on to the others. */
  readonly isTabStop: boolean
  readonly onFocus: () => void
}) {
  const { message, inboxName } = props
  const { subject, preview, from, read } = message
  return (
    <a
      class={`message-row${read ? '' : ' unread'}`}
      href={props.href}
      data-row={message.id}
      aria-current={props.isOpen ? 'true' : undefined}
      tabIndex={props.isTabStop ? 0 : -1}
      onFocus={props.onFocus}
    >
      <span class="row-line">
        <span class="row-from">
          {read ? null : <span class="unseen">Unread. </span>}
          <Marked text={personText(from)} />
        </span>
        <Ago at={message.receivedAt} />
      </span>
      <span class="row-line">
        <span class="row-subject">
          <Marked text={subject ?? 'No subject'} />
        </span>
        {message.hasAttachments ? (
          <span class="row-clip">
            <Icon name="paperclip" size={13} />
            <span class="unseen">Attachments</span>
          </span>
        ) : null}
        {message.hasOtp ? <Badge kind="accent">Code</Badge> : null}
      </span>
      <span class="row-preview">
        {inboxName ? (
          <span class="row-inbox">
            <span class="unseen">In </span>
            {inboxName}
          </span>
        ) : null}
        <Marked text={preview ?? ''} />
      </span>
    </a>
  )
}
