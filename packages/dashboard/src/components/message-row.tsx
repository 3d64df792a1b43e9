import type { MessageSummary } from '@mayfly/client'
import { personText } from '../format.ts'
import { fromMatch } from '../mark-words.ts'
import { markedWords } from '../state/rows.ts'
import { Badge } from './controls.tsx'
import { Icon } from './icon.tsx'
import { Marked } from './marked.tsx'
import { Ago } from './times.tsx'

/** One message of the list. */
export function MessageRow(props: {
  readonly href: string
  readonly message: MessageSummary
  /** The address of its inbox; null until it was read. */
  readonly inboxAddress: string | null
  /** Whether it names its inbox: messages of several are listed. */
  readonly hasInboxName?: boolean
  readonly isOpen: boolean
  /** Whether the Tab key focuses this row; the arrow keys move to the others. */
  readonly isTabStop: boolean
  readonly onFocus: () => void
}) {
  const { message, inboxAddress, hasInboxName = false } = props
  const { subject, preview, from, recipient, read } = message
  // A catch-all inbox accepts mail for any recipient, others for addresses with a tag.
  const isElsewhere = inboxAddress !== null && recipient !== inboxAddress
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
          <bdi>
            <Marked text={personText(from)} />
          </bdi>
          {isElsewhere ? (
            <span class="row-to">
              {' to '}
              <bdi>
                <Marked text={recipient} />
              </bdi>
            </span>
          ) : null}
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
        {hasInboxName && inboxAddress !== null ? (
          <span class="row-inbox">
            <span class="unseen">In </span>
            {inboxAddress.split('@')[0]}
          </span>
        ) : null}
        <Marked text={fromMatch(preview ?? '', markedWords.value)} />
      </span>
    </a>
  )
}
