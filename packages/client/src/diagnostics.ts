/** Where an inbox stands: no mail is accepted unless it is active. */
export type InboxState = 'active' | 'expired' | 'suspended'

/** One observed stage of the way of mail to an inbox. */
export type DiagnosticsEvent = {
  readonly stage: string
  readonly at: string
  readonly detail: string | null
}

/** Where a missing mail may have got stuck. */
export type Diagnostics = {
  readonly state: InboxState
  /** Oldest first. */
  readonly events: readonly DiagnosticsEvent[]
  readonly domain: { readonly domain: string; readonly status: string }
  readonly nextSteps: readonly string[]
}

/** A message that was there and did not count. */
export type Considered = {
  readonly id: string
  readonly subject: string | null
  readonly receivedAt: string
  readonly reason: string
}

/** The diagnostics of a wait that ended without a message. */
export type WaitDiagnostics = Diagnostics & { readonly considered: readonly Considered[] }
