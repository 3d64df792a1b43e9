// The phases of a session, and the deadlines in each.
//
// The phases and their transitions:
//
//   active     The protocol machine may continue. Leads to each of the others.
//   handling   The handler has not answered yet. Goes to `active` with its answer, or to
//              `closing` after the deadline.
//   delayed    The refusal of a recipient is held back; then `active`.
//   draining   The client does not read its replies; `active` once it has.
//   securing   The TLS handshake is in progress; `active` after it.
//   closing    The last reply was sent. The client has a few seconds to close.
//   closed     The socket is closed.

import type { CloseReply } from '../protocol/replies.ts'
import type { SmtpLimits } from './limits.ts'

/** The phase of a session. */
export type Phase =
  | { readonly name: 'active' | 'draining' | 'closed' }
  | { readonly name: 'handling' | 'securing' | 'closing'; readonly sinceMs: number }
  | { readonly name: 'delayed'; readonly sinceMs: number; readonly reply: string }

/** The times that the deadlines of a session depend on, besides its phase. */
export type SessionClock = {
  readonly openedAtMs: number
  /** When the client last sent something, or the handler last responded. */
  activeAtMs: number
  /** The mail content that is being received: since when, and how many bytes so far. */
  content: { readonly sinceMs: number; bytes: number } | null
}

/** The action that is due for a session. */
export type DueAction =
  | { readonly kind: 'none' | 'destroy' }
  | { readonly kind: 'refuse'; readonly reply: string }
  | { readonly kind: 'close'; readonly reply: CloseReply }

const NONE: DueAction = { kind: 'none' }

/** Checks every deadline of one session. */
export function checkDeadlines(
  phase: Phase,
  clock: SessionClock,
  { limits, nowMs }: { readonly limits: SmtpLimits; readonly nowMs: number },
): DueAction {
  switch (phase.name) {
    case 'closed':
      return NONE
    case 'closing':
      return nowMs - phase.sinceMs >= limits.lingerMs ? { kind: 'destroy' } : NONE
    case 'securing':
      return nowMs - phase.sinceMs >= limits.handshakeMs ? { kind: 'destroy' } : NONE
    case 'delayed':
      if (nowMs - phase.sinceMs < limits.refusalDelayMs) return NONE
      return { kind: 'refuse', reply: phase.reply }
    case 'handling':
      if (nowMs - phase.sinceMs < limits.handlerMs) return NONE
      return { kind: 'close', reply: 'unanswered' }
    default: {
      const reply = overdueReply(clock, limits, nowMs)
      return reply === null ? NONE : { kind: 'close', reply }
    }
  }
}

/** For a session that waits for its client. */
function overdueReply(clock: SessionClock, limits: SmtpLimits, nowMs: number): CloseReply | null {
  if (nowMs - clock.openedAtMs >= limits.sessionMs) return 'sessionTooLong'
  if (nowMs - clock.activeAtMs >= limits.idleMs) return 'idle'
  if (clock.content === null) return null
  const countedMs = nowMs - clock.content.sinceMs - limits.dataGraceMs
  const dueBytes = (countedMs / 1000) * limits.dataBytesPerSecondMin
  return clock.content.bytes < dueBytes ? 'tooSlow' : null
}
