import type { DiagnosticId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { FloodWindow, InboxFill } from '../../store/tables/receiving.ts'
import { OPERATOR_ACCOUNT } from './operator-inbox.ts'

/** Mails for one inbox in 10 minutes, stored or refused because it is full; more are a flood. */
const MAILS_MAX = 5_000

/** The parts of the window of 10 minutes, in which mails are counted. */
const PART_MS = 10 * 1000
const PARTS = 60

/** Why an inbox is suspended, as its diagnostics show it. */
const FLOOD_REASON = 'more than 5,000 mails within 10 minutes'

/**
 * The counts after one more mail.
 *
 * The window slides by whole parts: it consists of the newest one and of those before it. So it
 * never counts mails that are 10 minutes apart, and always those of the last 9 minutes and 50
 * seconds. More than 5,000 mails are overlooked only if they take longer than that, and those of
 * the first 10 seconds are needed to exceed the number.
 *
 * A mail may be stored after one that was received later; it counts in the part of its receipt. One
 * from before the window is there when a clock was set back, and begins a new window.
 */
export function countMail(window: FloodWindow, receivedAt: number): FloodWindow {
  const startedAt = receivedAt - (receivedAt % PART_MS)
  // An older version let parts begin at any time.
  const ahead = Math.floor(receivedAt / PART_MS) - Math.floor(window.startedAt / PART_MS)
  if (Math.abs(ahead) >= PARTS) return { startedAt, mails: 1, earlier: [] }
  if (ahead === 0) return { ...window, mails: window.mails + 1 }
  if (ahead < 0) return { ...window, earlier: addEarlier(window.earlier, -ahead - 1) }
  const between = new Array<number>(ahead - 1).fill(0)
  const earlier = [...between, window.mails, ...window.earlier].slice(0, PARTS - 1)
  return { startedAt, mails: 1, earlier: earlier.slice(0, lastFilled(earlier) + 1) }
}

function addEarlier(earlier: readonly number[], place: number): readonly number[] {
  const length = Math.max(earlier.length, place + 1)
  return Array.from({ length }, (_, i) => (earlier[i] ?? 0) + (i === place ? 1 : 0))
}

/** Parts at the end without mails need not be stored. */
const lastFilled = (counts: readonly number[]) => counts.findLastIndex((mails) => mails > 0)

/** Whether the last of these mails began a flood. */
export function beginsFlood(before: FloodWindow, after: FloodWindow): boolean {
  return total(before) <= MAILS_MAX && total(after) > MAILS_MAX
}

/** Whether many more mails can come without a flood. */
export function isFarFromFlood(window: FloodWindow): boolean {
  return total(window) < MAILS_MAX / 2
}

const total = ({ mails, earlier }: FloodWindow) => earlier.reduce((sum, part) => sum + part, mails)

/**
 * Suspends an inbox that is flooded. Never suspended are the operator's own inbox, because mail to
 * postmaster must arrive, and project inboxes, which only their account sends to and which keep
 * only their newest mails.
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
