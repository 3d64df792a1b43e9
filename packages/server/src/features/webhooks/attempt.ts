import { type AttemptError, EVENT_TYPE, type EventId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Outbound, OutboundResult } from '../../platform/outbound/http-client.ts'
import { isDelivered, isGone } from './schedule.ts'
import { signatureHeaders } from './signature.ts'

/** What an attempt needs. */
export type AttemptDeps = {
  readonly clock: Clock
  readonly request: Outbound['request']
  /** Throws when the secret was sealed with another key. */
  readonly openSecret: (sealed: string) => string
}

/** What is sent to an endpoint. */
export type EventToSend = {
  readonly id: EventId
  readonly url: string
  readonly payload: string
  readonly secretSealed: string
}

/** An attempt as the log shows it, and what the schedule needs to know. */
export type Attempted = {
  /** `unsent` when we did not even try: nobody was connected to. */
  readonly state: 'sent' | 'unsent'
  readonly at: number
  readonly endedAt: number
  readonly status: number | null
  /** Null when it succeeded. */
  readonly error: AttemptError | null
  readonly detail: string | null
  readonly durationMs: number
  readonly retryAfter: string | null
}

/** How an attempt ended: also by our own stop, of which there is nothing to tell. */
export type AttemptOutcome = Attempted | { readonly state: 'aborted' }

/** A receiver has this long for its 2xx, the connection included. */
const TIMEOUT_MS = 10_000

const USER_AGENT = 'Mayfly-Webhooks/1'

const LOST_SECRET =
  'The secret of this webhook cannot be opened: MAYFLY_SECRET_KEY is not the one that it was registered with. Register the webhook anew.'

/** Sends an event once, signed for this moment. */
export async function attemptDelivery(
  deps: AttemptDeps,
  event: EventToSend,
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const at = deps.clock.now()
  const secret = openedSecret(deps, event.secretSealed)
  if (secret === null) {
    const failure = { status: null, error: 'secret', detail: LOST_SECRET } as const
    return { state: 'unsent', at, endedAt: at, durationMs: 0, retryAfter: null, ...failure }
  }
  const signed = { secret, event: EVENT_TYPE, eventId: event.id, body: event.payload } as const
  const result = await deps.request({
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
    // The status says all; a body would only be waited for.
    bodyBytesMax: 0,
    ...(signal === undefined ? {} : { signal }),
  })
  const judged = judge(result)
  if (judged === 'aborted') return { state: 'aborted' }
  const { durationMs } = result
  return { at, endedAt: deps.clock.now(), durationMs, ...judged }
}

function openedSecret(deps: AttemptDeps, sealed: string): string | null {
  try {
    return deps.openSecret(sealed)
  } catch {
    return null
  }
}

type Judged = Pick<Attempted, 'state' | 'status' | 'error' | 'detail' | 'retryAfter'>

function judge(result: OutboundResult): Judged | 'aborted' {
  const unanswered = { status: null, retryAfter: null }
  if (result.state === 'refused') {
    return { state: 'unsent', ...unanswered, error: 'refused', detail: result.detail }
  }
  if (result.state === 'failed') {
    if (result.error === 'aborted') return 'aborted'
    // Redirects are not followed, so there are never too many.
    const error = result.error === 'too_many_redirects' ? 'redirect' : result.error
    return { state: 'sent', ...unanswered, error, detail: result.detail }
  }
  const { status } = result
  const retryAfter = result.headers['retry-after'] ?? null
  if (isDelivered(status)) return { state: 'sent', status, error: null, detail: null, retryAfter }
  return { state: 'sent', status, retryAfter, ...statusFailure(status) }
}

function statusFailure(status: number): Pick<Attempted, 'error' | 'detail'> {
  if (isGone(status)) {
    return { error: 'gone', detail: 'The endpoint answered 410; nothing more is sent to it.' }
  }
  if (status >= 300 && status <= 399) {
    const detail = `The endpoint answered ${status}; redirects are not followed.`
    return { error: 'redirect', detail }
  }
  return { error: 'status', detail: `The endpoint answered ${status}; only 2xx is success.` }
}
