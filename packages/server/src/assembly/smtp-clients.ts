import type { FailedHandshakes, RefusedCommand, Signals } from '../signals/thread-signals.ts'

/** What is known of the clients of the SMTP port since the start, besides their mails. */
export type SmtpClients = {
  /** When a client last connected; null when none has. */
  readonly lastConnectionAt: () => number | null
  /** TLS handshakes that failed; null when none has. */
  readonly failedHandshakes: () => FailedHandshakes | null
  /** The last command that was refused, and that no inbox is concerned by; null without one. */
  readonly refusedCommand: () => RefusedCommand | null
}

/** Listens to what the receiving threads announce of their clients, until `signals` is closed. */
export function observeClients(signals: Signals): SmtpClients {
  let lastConnectionAt: number | null = null
  let failedHandshakes: FailedHandshakes | null = null
  let refusedCommand: RefusedCommand | null = null
  signals.listen((signal) => {
    const { connectedAt, refusedCommand: refused } = signal
    // Those of several threads may come in another order.
    if (connectedAt !== undefined) lastConnectionAt = Math.max(lastConnectionAt ?? 0, connectedAt)
    if (refused !== undefined && refused.at >= (refusedCommand?.at ?? 0)) refusedCommand = refused
    const failed = signal.failedHandshakes
    if (failed !== undefined) {
      failedHandshakes = { ...failed, count: failed.count + (failedHandshakes?.count ?? 0) }
    }
  })
  return {
    lastConnectionAt: () => lastConnectionAt,
    failedHandshakes: () => failedHandshakes,
    refusedCommand: () => refusedCommand,
  }
}
