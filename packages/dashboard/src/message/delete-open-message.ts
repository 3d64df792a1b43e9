import { navigate, openMessageId } from '../route.ts'
import { leaveMessage, neighbourOfOpen, openNeighbour } from '../state/cursor.ts'
import { deleteMessage } from '../state/deletions.ts'

/** Deletes the open message and opens the next one, or goes back to the list. */
export function deleteOpenMessage(
  inboxId: string,
  message: { readonly id: string; readonly read: boolean },
): void {
  if (openMessageId.value === message.id) {
    if (neighbourOfOpen(1) !== null) openNeighbour(1, null)
    else if (neighbourOfOpen(-1) !== null) openNeighbour(-1, null)
    else leaveMessage()
  }
  deleteMessage(inboxId, message)
  if (openMessageId.value === message.id) navigate({ page: 'inbox', inboxId }, { replace: true })
}
