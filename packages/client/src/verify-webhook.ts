import type { VerifyOptions, WebhookHeaders } from './verification/verify.ts'
import type { WebhookEvent } from './webhooks.ts'

/**
 * Verifies the signature and the timestamp of a delivery; returns its event.
 *
 * Pass the raw body, before parsing it. The same event can be delivered more than once: retries and
 * replays have the same `id`.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  secret: string | VerifyOptions,
): Promise<WebhookEvent> {
  const options = typeof secret === 'string' ? { secret } : secret
  // Loaded when it is used: most tests receive no webhooks.
  return (await import('./verification/verify.ts')).verify(headers, rawBody, options)
}
