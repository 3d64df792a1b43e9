import { createHmac } from 'node:crypto'

/** The signed content. */
export type SignedEvent = {
  /** The endpoint's secret, as it was shown once: `whsec_` and base64. */
  readonly secret: string
  readonly event: 'message.received'
  readonly eventId: string
  readonly body: string | Uint8Array
  /** The time of this attempt. Receivers refuse one that is older than about five minutes. */
  readonly sentAt: Date
}

const SECRET_PREFIX = 'whsec_'

/** Bytes of a secret: the output size of the hash, and within the range of Standard Webhooks. */
export const SECRET_BYTES = 32

/** The secret as text, from random bytes. */
export function webhookSecret(random: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random).toString('base64')
}

/**
 * The headers that authenticate a delivery: ours, and those of Standard Webhooks.
 *
 * The two schemes differ in their key: ours is the whole secret as text, so that a line of shell
 * can verify it; that of Standard Webhooks is the decoded base64.
 */
export function signatureHeaders(signed: SignedEvent): Record<string, string> {
  const { secret, event, eventId, body } = signed
  const timestamp = String(Math.floor(signed.sentAt.getTime() / 1000))
  const standardKey = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')

  const signature = hmac(secret, `${timestamp}.`, body).toString('hex')
  const standardSignature = hmac(standardKey, `${eventId}.${timestamp}.`, body).toString('base64')
  return {
    'x-service-event': event,
    'x-service-event-id': eventId,
    'x-service-timestamp': timestamp,
    'x-service-signature-version': 'v1',
    'x-service-signature': signature,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standardSignature}`,
  }
}

function hmac(key: string | Buffer, prefix: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest()
}
