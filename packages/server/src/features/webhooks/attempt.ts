import { type AccountId, type AttemptError, EVENT_TYPE, type EventId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { OutboundRequest, OutboundResult } from '../../platform/outbound/http-client.ts'
import type { SecretBox } from '../../platform/secret-box.ts'
import { isDelivered, isGone } from './schedule.ts'
import { signatureHeaders } from './signature.ts'

export type AttemptDeps = {
  readonly clock: Clock
  /** Makes a request for an account. */
  readonly request: (owner: AccountId, request: OutboundRequest) => Promise<OutboundResult>
  /** Throws when the secret was sealed with another key. */
  readonly secretBox: Pick<SecretBox, 'open'>
}

/** An event, with the endpoint and secret for sending it. */
export type EventToSend = {
  readonly id: EventId
  readonly accountId: AccountId
  readonly url: string
  readonly payload: string
  readonly secretSealed: string
}

/** How a finished attempt ended. */
export type AttemptResult =
  /** The endpoint responded with 2xx. */
  | { readonly state: 'delivered'; readonly status: number }
  /** The endpoint responded with another status. */
  | {
      readonly state: 'rejected'
      readonly status: number
      readonly error: Extract<AttemptError, 'status' | 'redirect' | 'gone'>
      readonly detail: string
      /** The Retry-After header of the response. */
      readonly retryAfter: string | null
    }
  /** The request failed before a response came. */
  | {
      readonly state: 'unanswered'
      readonly error: Exclude<AttemptError, 'status' | 'gone' | 'refused' | 'secret' | 'internal'>
      readonly detail: string
    }
  /** No connection was opened. */
  | {
      readonly state: 'unsent'
      readonly error: Extract<AttemptError, 'refused' | 'secret' | 'internal'>
      readonly detail: string
    }

/** A finished attempt; times in milliseconds. */
export type FinishedAttempt = AttemptResult & {
  readonly at: number
  readonly endedAt: number
  readonly durationMs: number
}

/** `aborted` when the service stopped before the attempt ended: then nothing is recorded. */
export type AttemptOutcome = FinishedAttempt | { readonly state: 'aborted' }

/** Time that a receiver has for its 2xx, the connection included. */
const TIMEOUT_MS = 10_000

const USER_AGENT = 'Mayfly-Webhooks/1'

const LOST_SECRET =
  'The secret of this webhook cannot be decrypted: MAYFLY_SECRET_KEY has changed since the webhook was registered. Register the webhook again.'

/** Sends an event once, signed with the current time. */
export async function attemptDelivery(
  deps: AttemptDeps,
  event: EventToSend,
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const at = deps.clock.now()
  const secret = openSecret(deps, event.secretSealed)
  if (secret === null) {
    const times = { at, endedAt: at, durationMs: 0 }
    return { state: 'unsent', error: 'secret', detail: LOST_SECRET, ...times }
  }
  const signed = { secret, event: EVENT_TYPE, eventId: event.id, body: event.payload } as const
  const response = await deps.request(event.accountId, {
    method: 'POST',
    url: event.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signatureHeaders({ ...signed, sentAt: new Date(at) }),
    },
    body: event.payload,
    timeoutMs: TIMEOUT_MS,
    redirectsMax: 0,
    // Only the status counts; reading a body would only take time.
    bodyBytesMax: 0,
    ...(signal === undefined ? {} : { signal }),
  })
  const result = attemptResult(response)
  if (result === 'aborted') return { state: 'aborted' }
  return { ...result, at, endedAt: deps.clock.now(), durationMs: response.durationMs }
}

/** A result as the delivery log shows it. */
export function logFields(result: AttemptResult): {
  readonly status: number | null
  readonly error: AttemptError | null
  readonly detail: string | null
} {
  if (result.state === 'delivered') return { status: result.status, error: null, detail: null }
  const { error, detail } = result
  return { status: result.state === 'rejected' ? result.status : null, error, detail }
}

function openSecret(deps: AttemptDeps, sealed: string): string | null {
  try {
    return deps.secretBox.open(sealed)
  } catch {
    return null
  }
}

function attemptResult(response: OutboundResult): AttemptResult | 'aborted' {
  if (response.state === 'refused') {
    return { state: 'unsent', error: 'refused', detail: response.detail }
  }
  if (response.state === 'failed') {
    if (response.error === 'aborted') return 'aborted'
    // Cannot happen with redirectsMax 0, but the type allows it.
    const error = response.error === 'too_many_redirects' ? 'redirect' : response.error
    return { state: 'unanswered', error, detail: response.detail }
  }
  const { status } = response
  if (isDelivered(status)) return { state: 'delivered', status }
  const retryAfter = response.headers['retry-after'] ?? null
  return { state: 'rejected', status, retryAfter, ...statusFailure(status) }
}

function statusFailure(status: number) {
  if (isGone(status)) {
    const detail = 'The endpoint responded with 410; nothing more is sent to it.'
    return { error: 'gone', detail } as const
  }
  if (status >= 300 && status <= 399) {
    const detail = `The endpoint responded with ${status}; redirects are not followed.`
    return { error: 'redirect', detail } as const
  }
  const detail = `The endpoint responded with ${status}; only 2xx is success.`
  return { error: 'status', detail } as const
}
