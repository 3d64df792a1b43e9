import type { Clock } from '../../platform/clock.ts'
import type { FailedHandshakes, RefusedCommand, Signals } from '../../signals/thread-signals.ts'

/** Counts and times of SMTP clients since the start, besides their mails. */
export type SmtpClients = {
  /** When a client last connected; null when none has. */
  readonly lastConnectionAt: () => number | null
  /** TLS handshakes that failed; null when none has. */
  readonly failedHandshakes: () => FailedHandshakes | null
  /** The last refused command that concerns no inbox; null without one. */
  readonly refusedCommand: () => RefusedCommand | null
}

/** Collects the receiving threads' signals about clients until `signals` is closed. */
export function observeClients({
  signals,
  clock,
}: {
  readonly signals: Signals
  readonly clock: Clock
}): SmtpClients {
  let lastConnectionAt: number | null = null
  let failedHandshakes: FailedHandshakes | null = null
  let refusedCommand: RefusedCommand | null = null
  signals.listen((signal) => {
    if (signal.name === 'clientConnected') lastConnectionAt = clock.now()
    if (signal.name === 'handshakesFailed') {
      const { failed } = signal
      failedHandshakes = { ...failed, count: failed.count + (failedHandshakes?.count ?? 0) }
    }
    // Signals of several threads may arrive out of order.
    if (signal.name === 'commandRefused' && signal.refused.at >= (refusedCommand?.at ?? 0)) {
      refusedCommand = signal.refused
    }
  })
  return {
    lastConnectionAt: () => lastConnectionAt,
    failedHandshakes: () => failedHandshakes,
    refusedCommand: () => refusedCommand,
  }
}
