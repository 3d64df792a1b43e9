import { checkOptions, type OptionKinds } from '../options.ts'
import { type VerificationFailure, WebhookVerificationError } from '../verification-error.ts'
import type { WebhookEvent } from '../webhooks.ts'

/** Headers of a delivery: those of `fetch`, of Node's `http`, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The secret of the webhook, and options. */
export type VerifyOptions = {
  /** `whsec_…`, shown when the webhook was created. */
  readonly secret: string
  /** Largest difference between the timestamp and the clock. Default: 300. */
  readonly toleranceSeconds?: number
  /** The current time, for tests. */
  readonly now?: Date
}

const VERIFY = {
  ...{ secret: 'text', toleranceSeconds: 'number', now: 'time' },
} as const satisfies OptionKinds<VerifyOptions>

/** The replay window that receivers should use. */
const TOLERANCE_SECONDS = 300

/** Verifies the signature and the timestamp of a delivery; returns its event. */
export async function verify(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  checkOptions(options, VERIFY)
  const body = bytesOf(rawBody)
  const version = required(headers, 'x-service-signature-version')
  if (version !== 'v1') {
    throw failure(
      'unsupported_version',
      `Signature version ${version} is unknown; update the client.`,
    )
  }
  const timestamp = required(headers, 'x-service-timestamp')
  const signature = required(headers, 'x-service-signature')
  if (!(await isSigned({ timestamp, body, signature, secret: options.secret }))) {
    throw failure(
      'signature_mismatch',
      'The signature does not match: the secret is wrong, or the body was changed. Pass the raw body, before parsing it.',
    )
  }
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw failure(
      'timestamp_out_of_tolerance',
      `The timestamp differs from the clock by ${Math.round(Math.abs(ageSeconds))} s; at most ${toleranceSeconds} s are allowed.`,
    )
  }
  return eventOf(body)
}

/** `verify` compares in constant time. */
async function isSigned(delivery: {
  readonly timestamp: string
  readonly body: Uint8Array
  readonly signature: string
  readonly secret: string
}): Promise<boolean> {
  if (!/^(?:[0-9a-f]{2})+$/i.test(delivery.signature)) return false
  const signature = Uint8Array.from(delivery.signature.match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  )
  const encoder = new TextEncoder()
  const prefix = encoder.encode(`${delivery.timestamp}.`)
  const signed = new Uint8Array(prefix.length + delivery.body.length)
  signed.set(prefix)
  signed.set(delivery.body, prefix.length)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = encoder.encode(delivery.secret)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, signature, signed)
}

function eventOf(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw failure('invalid_payload', 'The signature is valid, but the body is not JSON.')
  }
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  throw new TypeError(
    'verifyWebhook needs the raw body as text or bytes, because the signature covers the bytes before parsing.',
  )
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name)
  if (value === null || value === '')
    throw failure('missing_header', `The header ${name} is missing.`)
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

function failure(reason: VerificationFailure, message: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, message)
}
