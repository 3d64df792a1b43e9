/** The state of an inbox; only an active one accepts mail. */
export type InboxState = 'active' | 'expired' | 'suspended'

/** The stages of receiving a mail. */
export type Stage =
  | 'inbox.created'
  | 'smtp.accepted'
  | 'smtp.refused'
  | 'provider.accepted'
  | 'provider.refused'
  | 'message.stored'
  | 'otp.detected'
  | 'webhook.delivered'
  | 'webhook.failed'
  | 'inbox.expired'
  | 'inbox.suspended'
  /** Mail to a similar address was refused: probably a typing error in this one. */
  | 'near.miss'
  /** A fault rule of the inbox refused mail. */
  | 'fault.injected'

/** One observed stage. */
export type DiagnosticEvent = {
  readonly stage: Stage
  readonly at: string
  readonly detail: string | null
}

/** What happened to mail for an inbox. */
export type Diagnostics = {
  readonly state: InboxState
  /** Oldest first. */
  readonly events: readonly DiagnosticEvent[]
  readonly domain: { readonly domain: string; readonly status: string }
  readonly nextSteps: readonly string[]
}

/** A message that had arrived and did not match. */
export type RejectedMessage = {
  readonly id: string
  readonly subject: string | null
  readonly receivedAt: string
  readonly reason: string
}

/** The diagnostics of a wait that ended without a message. */
export type WaitDiagnostics = Diagnostics & { readonly considered: readonly RejectedMessage[] }
