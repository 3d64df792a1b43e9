/** Where an inbox stands: no mail is accepted unless it is active. */
export type InboxState = 'active' | 'expired' | 'suspended'

/** The stages of a mail's way. */
export type Stage =
  | 'inbox.created'
  | 'smtp.accepted'
  | 'smtp.refused'
  | 'message.stored'
  | 'otp.detected'
  | 'webhook.delivered'
  | 'webhook.failed'
  | 'inbox.expired'
  | 'inbox.suspended'
  /** Mail that was refused because its address is a slip away from this one's. */
  | 'near.miss'

/** Something that was observed. */
export type DiagnosticEvent = {
  readonly stage: Stage
  readonly at: string
  readonly detail: string | null
}

/** Where a missing mail may have got stuck. */
export type Diagnostics = {
  readonly state: InboxState
  /** Oldest first. */
  readonly events: readonly DiagnosticEvent[]
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
