import type { MessageSummary } from '@mayfly/client'
import type { FoundMessage } from '@mayfly/client/internal'
import { computed } from '@preact/signals'
import { wordsOf } from '../mark-words.ts'
import { filterText, isNewestShown, openMessageId, searchText } from '../route.ts'
import { messageList } from './messages.ts'
import { openMessage } from './open-message.ts'
import { pendingDeletions } from './pending-deletions.ts'
import { search } from './search.ts'

/** The listed rows: the messages of the open inbox, or of a search, or the newest of all. */
export const shownRows = computed<readonly (MessageSummary | FoundMessage)[]>(() => {
  const isSearch = searchText.value !== null || isNewestShown.value
  const all = (isSearch ? search.value?.messages : messageList.value?.messages) ?? []
  const deleted = pendingDeletions.value
  return deleted.size === 0 ? all : all.filter(({ id }) => !deleted.has(id))
})

/** The words that rows and texts mark. */
export const markedWords = computed<readonly string[]>(() =>
  wordsOf(searchText.value ?? filterText.value),
)

/** The inbox of a row. */
export function inboxIdOf(row: MessageSummary | FoundMessage): string {
  return 'inboxId' in row ? row.inboxId : (messageList.value?.inboxId ?? '')
}

/** The target of the keys: the open message, listed or not, or the row at the cursor. */
export function rowOf(cursorId: string | null): MessageSummary | FoundMessage | null {
  const id = openMessageId.value ?? cursorId
  const open = openMessage.value?.message
  return shownRows.value.find((row) => row.id === id) ?? (open?.id === id ? open : null)
}
