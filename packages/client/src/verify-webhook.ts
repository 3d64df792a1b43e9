import { MayflyError } from './errors.ts'
import type { WebhookEvent } from './webhooks.ts'

/** Headers of a delivery: those of `fetch`, of Node's `http`, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The secret of the webhook, and what may differ from the rule. */
export type VerifyOptions = {
  /** `whsec_…`, shown when the webhook was made. */
  readonly secret: string
  /** How far the time of a delivery may be from ours; 300 unless said otherwise. */
  readonly toleranceSeconds?: number
  /** Our time, for tests. */
  readonly now?: Date
}

/** Why a delivery is not to be trusted. */
export type VerificationFailure =
  | 'missing_header'
  | 'unsupported_version'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'invalid_payload'

/** A delivery that is not to be trusted: answer it with 400 and do nothing. */
export class WebhookVerificationError extends MayflyError {
  static {
    WebhookVerificationError.prototype.name = 'WebhookVerificationError'
  }

  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The replay window that the service asks receivers to keep. */
const TOLERANCE_SECONDS = 300

/**
 * The event of a delivery, once its signature and its time are proven.
 *
 * Pass the body as it came, before anything parsed it. Deliveries repeat: a retry and a replay
 * carry the same `id`, by which a receiver tells them.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  secret: string | VerifyOptions,
): Promise<WebhookEvent> {
  const options = typeof secret === 'string' ? { secret } : secret
  const body = bytesOf(rawBody)
  const version = required(headers, 'x-service-signature-version')
  if (version !== 'v1') {
    throw refuse(
      'unsupported_version',
      `Signature version ${version} is unknown; update the client.`,
    )
  }
  const timestamp = required(headers, 'x-service-timestamp')
  const signature = required(headers, 'x-service-signature')
  if (!(await isSigned({ timestamp, body, signature, secret: options.secret }))) {
    throw refuse(
      'signature_mismatch',
      'The signature does not fit: another secret, or the body is not as it came. Pass the raw body, before it is parsed.',
    )
  }
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw refuse(
      'timestamp_out_of_tolerance',
      `The delivery is ${Math.round(ageSeconds)} s old; at most ${toleranceSeconds} s are allowed. If it is new, compare the clocks.`,
    )
  }
  return eventOf(body)
}

/** `verify` compares in constant time. */
async function isSigned(claim: {
  readonly timestamp: string
  readonly body: Uint8Array
  readonly signature: string
  readonly secret: string
}): Promise<boolean> {
  if (!/^(?:[0-9a-f]{2})+$/i.test(claim.signature)) return false
  const signature = Uint8Array.from(claim.signature.match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  )
  const encoder = new TextEncoder()
  const prefix = encoder.encode(`${claim.timestamp}.`)
  const signed = new Uint8Array(prefix.length + claim.body.length)
  signed.set(prefix)
  signed.set(claim.body, prefix.length)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = encoder.encode(claim.secret)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, signature, signed)
}

function eventOf(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw refuse('invalid_payload', 'The signature fits, but the body is not JSON.')
  }
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  throw new TypeError(
    'verifyWebhook needs the raw body, as text or bytes: a parsed one has lost what was signed.',
  )
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name)
  if (value === null || value === '')
    throw refuse('missing_header', `The header ${name} is missing.`)
  return value
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isFetchHeaders(headers)) return headers.get(name)
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return typeof value === 'string' ? value : (value?.[0] ?? null)
  }
  return null
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}

function refuse(reason: VerificationFailure, message: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, message)
}
