import type { DiagnosticEvent, Inbox } from '@mayfly/contract'
import type { InboxAttempt } from '../../store/tables/deliveries.ts'
import type { StoredDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import type { MessageTrace } from '../../store/tables/messages.ts'

/** Events shown of an inbox: the newest. */
export const EVENTS_MAX = 500

/** The records of which the timeline of an inbox consists. */
export type TimelineSources = {
  readonly inbox: Inbox
  readonly traces: readonly MessageTrace[]
  /** Newest first. */
  readonly stored: readonly StoredDiagnosticEvent[]
  /** Attempts to push messages of the inbox to webhooks, oldest first. */
  readonly attempts: readonly InboxAttempt[]
  readonly now: number
}

/** The newest events of an inbox, oldest first. */
export function timeline(parts: TimelineSources): DiagnosticEvent[] {
  const { inbox, traces, stored, attempts, now } = parts
  const events: DiagnosticEvent[] = [
    { stage: 'inbox.created', at: inbox.createdAt, detail: inbox.emailAddress },
    ...traces.flatMap(traceEvents),
    // Oldest first, so that events of one instant keep their order.
    ...stored.toReversed().map(({ stage, at, detail }) => ({ stage, at, detail })),
    ...attempts.map(attemptEvent),
  ]
  if (inbox.expiresAt !== null && Date.parse(inbox.expiresAt) <= now) {
    events.push({ stage: 'inbox.expired', at: inbox.expiresAt, detail: null })
  }
  // ISO texts of one format sort like the instants; equal ones keep the order above.
  return events.sort((a, b) => compare(a.at, b.at)).slice(-EVENTS_MAX)
}

function attemptEvent(attempt: InboxAttempt): DiagnosticEvent {
  const outcome = attempt.status ?? attempt.error ?? 'no response'
  return {
    stage: attempt.error === null ? 'webhook.delivered' : 'webhook.failed',
    at: new Date(attempt.at).toISOString(),
    detail: `attempt ${attempt.number} to ${attempt.url}: ${outcome}`,
  }
}

function traceEvents(trace: MessageTrace): DiagnosticEvent[] {
  const at = new Date(trace.receivedAt).toISOString()
  const { sender } = trace
  const secured = sender.tls === null ? '' : ` by ${sender.tls}`
  const subject = trace.subject === null ? 'no subject' : `"${trace.subject}"`
  const events: DiagnosticEvent[] = [
    {
      stage: sender.provider === undefined ? 'smtp.accepted' : 'provider.accepted',
      at,
      detail: `for ${trace.recipient} from <${sender.mailFrom}> at ${sender.remoteAddress}${secured}${callText(sender)}`,
    },
    {
      stage: 'message.stored',
      at,
      detail: `${trace.id}, ${subject}, ${trace.sizeBytes} bytes`,
    },
  ]
  if (trace.otpConfidence !== null) {
    const confidence = trace.otpConfidence.toFixed(2)
    events.push({ stage: 'otp.detected', at, detail: `${trace.id}, confidence ${confidence}` })
  }
  return events
}

/** The call of a provider's API, and what of it the API does not know. */
function callText({ provider }: MessageTrace['sender']): string {
  if (provider === undefined) return ''
  const { name, operation, id, unknownFields } = provider
  const unknown = unknownFields.length === 0 ? '' : `; unknown fields: ${unknownFields.join(', ')}`
  return ` by ${name} ${operation}, id ${id}${unknown}`
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
