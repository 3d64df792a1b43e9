// Where a session stands, and what is due there.
//
// The phases, and the moves between them:
//
//   talking    The machine may go on. From here to each of the others.
//   handling   The handler was asked and has not answered; then back to `talking`, or, past
//              its deadline, to `closing`.
//   slowed     An unknown recipient's refusal is held back for a while; then `talking`.
//   draining   The client does not read its replies; `talking` once it has read.
//   securing   The TLS handshake is under way; `talking` after it.
//   closing    The last reply is sent. The client has a few seconds to close.
//   gone       The socket is closed.

import { REPLIES } from '../protocol/replies.ts'
import type { SmtpLimits } from './limits.ts'

/** Where a session stands. */
export type Phase =
  | { readonly name: 'talking' | 'draining' | 'gone' }
  | { readonly name: 'handling' | 'securing' | 'closing' | 'slowed'; readonly sinceMs: number }

/** What the deadlines of a session are judged by, besides its phase. */
export type SessionClock = {
  readonly openedAtMs: number
  /** When the client last sent something, or was last answered by the handler. */
  activeAtMs: number
  /** Content of a mail that is coming in: since when, and how much so far. */
  content: { readonly sinceMs: number; bytes: number } | null
}

/** What is due. */
export type Verdict =
  | { readonly kind: 'nothing' | 'destroy' | 'refuse_unknown' }
  | { readonly kind: 'hang_up'; readonly reply: string }

const NOTHING: Verdict = { kind: 'nothing' }

/** Judges every deadline of one session. */
export function judgeDeadlines(
  phase: Phase,
  clock: SessionClock,
  { limits, nowMs }: { readonly limits: SmtpLimits; readonly nowMs: number },
): Verdict {
  switch (phase.name) {
    case 'gone':
      return NOTHING
    case 'closing':
      return nowMs - phase.sinceMs >= limits.lingerMs ? { kind: 'destroy' } : NOTHING
    case 'securing':
      return nowMs - phase.sinceMs >= limits.handshakeMs ? { kind: 'destroy' } : NOTHING
    case 'slowed':
      return nowMs - phase.sinceMs >= limits.unknownDelayMs ? { kind: 'refuse_unknown' } : NOTHING
    case 'handling':
      if (nowMs - phase.sinceMs < limits.handlerMs) return NOTHING
      return { kind: 'hang_up', reply: REPLIES.unanswered }
    default: {
      const reply = overdueReply(clock, limits, nowMs)
      return reply === null ? NOTHING : { kind: 'hang_up', reply }
    }
  }
}

/** For a session that waits for its client. */
function overdueReply(clock: SessionClock, limits: SmtpLimits, nowMs: number): string | null {
  if (nowMs - clock.openedAtMs >= limits.sessionMs) return REPLIES.sessionTooLong
  if (nowMs - clock.activeAtMs >= limits.idleMs) return REPLIES.idle
  if (clock.content === null) return null
  const judgedMs = nowMs - clock.content.sinceMs - limits.dataGraceMs
  const dueBytes = (judgedMs / 1000) * limits.dataBytesPerSecondMin
  return clock.content.bytes < dueBytes ? REPLIES.tooSlow : null
}
