import type { MessageSummary } from '@mayfly/client'
import type { FoundMessage } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { numberText } from '../format.ts'
import { openMessageId } from '../route.ts'
import { cursorId } from '../state/cursor.ts'
import { inboxAddress } from '../state/inbox-addresses.ts'
import { inboxIdOf, shownRows } from '../state/rows.ts'
import { Icon } from './icon.tsx'
import { MessageRow } from './message-row.tsx'
import { VirtualList } from './virtual-list.tsx'

/** The listed messages, and how many have come above the visible ones. */
export function MessageList(props: {
  readonly label: string
  readonly href: (message: MessageSummary | FoundMessage) => string
  /** Whether rows name their inbox: messages of several are listed. */
  readonly hasInboxNames?: boolean
  readonly onNearEnd: () => void
}) {
  const newAbove = useSignal(0)
  const top = useSignal(0)
  const shown = shownRows.value
  const tabStop = shown.some(({ id }) => id === cursorId.value) ? cursorId.value : shown[0]?.id
  return (
    <div class="list-frame">
      {newAbove.value > 0 ? (
        <button
          type="button"
          class="new-above"
          onClick={() => {
            top.value += 1
          }}
        >
          <Icon name="up" size={14} />
          {numberText(newAbove.value)} new
        </button>
      ) : null}
      <VirtualList
        label={props.label}
        items={shown}
        top={top}
        onNearEnd={props.onNearEnd}
        onNewAbove={(count) => {
          newAbove.value = count
        }}
        row={(message) => (
          <MessageRow
            href={props.href(message)}
            message={message}
            inboxAddress={inboxAddress(inboxIdOf(message))}
            hasInboxName={props.hasInboxNames === true}
            isOpen={openMessageId.value === message.id}
            isTabStop={message.id === tabStop}
            onFocus={() => {
              cursorId.value = message.id
            }}
          />
        )}
      />
    </div>
  )
}
