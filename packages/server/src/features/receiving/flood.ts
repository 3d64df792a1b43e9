import type { DiagnosticId } from '@mayfly/contract'
import type { Tables } from '../../store/open.ts'
import type { FloodWindow, InboxFill } from '../../store/tables/receiving.ts'
import { OPERATOR_ACCOUNT } from './operator-inbox.ts'

/** Mails for one inbox within a window, stored or refused because it is full; more are a flood. */
const MAILS_MAX = 5_000

const WINDOW_MS = 10 * 60 * 1000

/** Why an inbox is suspended, as its diagnostics show it. */
const FLOOD_REASON = 'more than 5,000 mails within 10 minutes'

/** The window after one more mail. */
export function countMail(window: FloodWindow, now: number): FloodWindow {
  // In both directions: a window that starts in the future is from before a clock was set back.
  const isOver = Math.abs(now - window.startedAt) >= WINDOW_MS
  return isOver ? { startedAt: now, mails: 1 } : { ...window, mails: window.mails + 1 }
}

/** Whether the last of these mails began a flood. */
export function beginsFlood(before: FloodWindow, after: FloodWindow): boolean {
  return before.mails <= MAILS_MAX && after.mails > MAILS_MAX
}

/**
 * Suspends an inbox that is flooded. One that the operator resumes stays so for the rest of its
 * window. Never suspended are the operator's own inbox, because mail to postmaster must arrive,
 * and project inboxes, which only their account sends to and which keep only their newest mails.
 */
export async function suspendFlooded(
  tx: Tables,
  inbox: InboxFill,
  event: { readonly id: DiagnosticId; readonly at: number },
): Promise<void> {
  if (inbox.accountId === OPERATOR_ACCOUNT || inbox.keepMessages !== null) return
  if (!(await tx.receiving.suspend(inbox.id, event.at, FLOOD_REASON))) return
  const suspension = { stage: 'inbox.suspended', inboxId: inbox.id, detail: FLOOD_REASON } as const
  await tx.diagnostics.add([{ ...event, ...suspension }])
}
