import type { IncomingMessage } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@mayfly/client'

/** A delivery: verified, or refused with the reason. */
export type ReceivedDelivery =
  | { readonly verified: true; readonly event: WebhookEvent }
  | { readonly verified: false; readonly status: number; readonly reason: string }

/** Largest body read. An event is a few kilobytes; a larger body is not from the service. */
const BODY_BYTES_MAX = 1024 * 1024

/** Reads and verifies one delivery. */
export async function receiveDelivery(
  request: IncomingMessage,
  secret: string,
): Promise<ReceivedDelivery> {
  if (request.method !== 'POST') return refused(405, `a ${request.method}, not a POST`)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes > BODY_BYTES_MAX) return refused(413, 'the body is too large')
    chunks.push(chunk)
  }
  try {
    const event = await verifyWebhook(request.headers, Buffer.concat(chunks), secret)
    return { verified: true, event }
  } catch (error) {
    if (error instanceof WebhookVerificationError) return refused(400, error.message)
    throw error
  }
}

function refused(status: number, reason: string): ReceivedDelivery {
  return { verified: false, status, reason }
}
