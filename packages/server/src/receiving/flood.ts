import type { DiagnosticId } from '@mayfly/contract'
import { OPERATOR_ACCOUNT } from '../features/rules/own-ids.ts'
import type { Tables } from '../store/all-tables.ts'
import type { FloodWindow, InboxUsage } from '../store/tables/receiving.ts'

/** Mails for one inbox in a window, stored or refused because it is full; more are a flood. */
const MAILS_MAX = 5_000

const WINDOW_MS = 10 * 60 * 1000

/** Why an inbox is suspended, as its diagnostics show it. */
const FLOOD_REASON = 'more than 5,000 mails within 10 minutes'

/**
 * The window after one more mail. The first mail that is received after the end of a window begins
 * the next one.
 *
 * The mails of two windows are not added up: 5,000 before the end of one and 5,000 in the next are
 * no flood, although they may arrive within a second. More than 10,000 within 10 minutes always
 * are one.
 *
 * A mail may be stored after one that was received later, and then counts in that one's window. If
 * it is 10 minutes older, a clock was set back, and it begins a new window.
 */
export function countMail(window: FloodWindow, receivedAt: number): FloodWindow {
  const isInWindow = Math.abs(receivedAt - window.startedAt) < WINDOW_MS
  return isInWindow ? { ...window, mails: window.mails + 1 } : { startedAt: receivedAt, mails: 1 }
}

/** Whether the last of these mails began a flood. */
export function beginsFlood(before: FloodWindow, after: FloodWindow): boolean {
  return before.mails <= MAILS_MAX && after.mails > MAILS_MAX
}

/**
 * Suspends an inbox that is flooded. Never suspended are the operator's own inbox, because mail to
 * postmaster must arrive, and catch-all inboxes, which only their account sends to and which keep
 * only their newest mails.
 */
export async function suspendFlooded(
  tx: Tables,
  inbox: InboxUsage,
  event: { readonly id: DiagnosticId; readonly at: number },
): Promise<void> {
  if (inbox.accountId === OPERATOR_ACCOUNT || inbox.keepMessages !== null) return
  if (!(await tx.receiving.suspend(inbox.id, event.at, FLOOD_REASON))) return
  const suspension = { stage: 'inbox.suspended', inboxId: inbox.id, detail: FLOOD_REASON } as const
  await tx.diagnostics.add([{ ...event, ...suspension }])
}
