import type { DiagnosticEvent, Inbox } from '@mayfly/contract'
import type { InboxAttempt } from '../../store/tables/deliveries.ts'
import type { Journey } from '../../store/tables/messages.ts'

/** Shown of each inbox; older ones give way. */
export const EVENTS_MAX = 500

/** What the timeline of an inbox is made of. */
export type TimelineParts = {
  readonly inbox: Inbox
  readonly journeys: readonly Journey[]
  /** Events that were written as such, and those of webhooks. */
  readonly written: readonly DiagnosticEvent[]
  readonly now: number
}

/** Every stage that was observed, oldest first, the newest 500. */
export function timeline(parts: TimelineParts): DiagnosticEvent[] {
  const { inbox, journeys, written, now } = parts
  const events: DiagnosticEvent[] = [
    { stage: 'inbox.created', at: inbox.createdAt, detail: inbox.emailAddress },
    ...journeys.flatMap(journeyEvents),
    ...written,
  ]
  if (Date.parse(inbox.expiresAt) <= now) {
    events.push({ stage: 'inbox.expired', at: inbox.expiresAt, detail: null })
  }
  // ISO texts of one form sort as the instants do; equal ones keep the order above.
  return events.sort((a, b) => compare(a.at, b.at)).slice(-EVENTS_MAX)
}

/** One attempt to push a message to a webhook. */
export function attemptEvent(attempt: InboxAttempt): DiagnosticEvent {
  const outcome = attempt.status === null ? (attempt.error ?? 'no answer') : `${attempt.status}`
  return {
    stage: attempt.succeeded ? 'webhook.delivered' : 'webhook.failed',
    at: new Date(attempt.at).toISOString(),
    detail: `attempt ${attempt.number} to ${attempt.url}: ${outcome}`,
  }
}

function journeyEvents(journey: Journey): DiagnosticEvent[] {
  const at = new Date(journey.receivedAt).toISOString()
  const { mailFrom, remoteAddress, tls } = journey.envelope
  const secured = tls === null ? '' : ` by ${tls}`
  const subject = journey.subject === null ? 'no subject' : `"${journey.subject}"`
  const events: DiagnosticEvent[] = [
    {
      stage: 'smtp.accepted',
      at,
      detail: `for ${journey.recipient} from <${mailFrom}> at ${remoteAddress}${secured}`,
    },
    {
      stage: 'message.stored',
      at,
      detail: `${journey.id}, ${subject}, ${journey.sizeBytes} bytes`,
    },
  ]
  if (journey.otpConfidence !== null) {
    const confidence = journey.otpConfidence.toFixed(2)
    events.push({ stage: 'otp.detected', at, detail: `${journey.id}, confidence ${confidence}` })
  }
  return events
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
