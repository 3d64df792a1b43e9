import { createHmac } from 'node:crypto'

/** What is signed: the bytes that go over the wire, under an id that never changes. */
export type SignedEvent = {
  /** The endpoint's secret, as it was shown once: `whsec_` and base64. */
  readonly secret: string
  readonly event: 'message.received'
  readonly eventId: string
  readonly body: string | Uint8Array
  /** When this attempt is made. Receivers refuse what is older than about five minutes. */
  readonly sentAt: Date
}

const SECRET_PREFIX = 'whsec_'

/** Bytes of a secret: as many as the hash puts out, and within what Standard Webhooks asks for. */
export const SECRET_BYTES = 32

/** The secret made of these random bytes. */
export function webhookSecret(random: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random).toString('base64')
}

/**
 * The headers that prove a delivery: ours, and those of Standard Webhooks.
 *
 * The two schemes differ in their key. Ours is keyed with the whole secret as it is written, so
 * that a line of shell can verify it; Standard Webhooks with the bytes that its base64 stands for.
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
