import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../../errors.ts'

/** Room for a body whose length is not known; it doubles until the body fits. */
const FIRST_BYTES = 64 * 1024

/**
 * Reads a body into one buffer as it arrives. Fastify joins the parts at the end, and 30 MB then
 * hold the API's thread for more than 20 ms.
 */
export async function collectBody(payload: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(payload.headers['content-length'] ?? FIRST_BYTES)
  if (declared > bytesMax) throw new ServiceError('body_too_large')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let body = Buffer.allocUnsafeSlow(declared)
  let length = 0
  const add = (part: Buffer) => {
    const needed = length + part.length
    if (needed > bytesMax) {
      payload.off('data', add)
      reject(new ServiceError('body_too_large'))
      return
    }
    if (needed > body.length) body = grown(body, needed)
    body.set(part, length)
    length = needed
  }
  payload.on('data', add).once('end', resolve)
  // The client has gone.
  payload.once('error', () => reject(new ServiceError('malformed_request')))
  await promise
  return body.subarray(0, length)
}

function grown(body: Buffer, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * body.length))
  larger.set(body)
  return larger
}
