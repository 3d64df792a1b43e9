import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'

/** First allocation for a body of unknown length; it doubles until the body fits. */
const FIRST_BYTES = 64 * 1024

/**
 * Reads a body into one buffer as it arrives. Fastify joins the parts at the end, and 30 MB then
 * block the API's thread for more than 20 ms.
 *
 * `onPart` is called with the size of each part before it is kept, and refuses the body when it
 * throws. Memory that is allocated and not written yet is not used.
 */
export async function collectBody(
  payload: IncomingMessage,
  bytesMax: number,
  onPart: (sizeBytes: number) => void = () => {},
): Promise<Buffer> {
  if (payload.destroyed) throw new ServiceError('malformed_request')
  const declared = Number(payload.headers['content-length'] ?? Math.min(FIRST_BYTES, bytesMax))
  if (declared > bytesMax) throw new ServiceError('body_too_large')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let body = Buffer.allocUnsafeSlow(declared)
  let length = 0
  const add = (part: Buffer) => {
    const needed = length + part.length
    try {
      if (needed > bytesMax) throw new ServiceError('body_too_large')
      onPart(part.length)
    } catch (error) {
      // Further parts are discarded, and earlier ones are not kept until then.
      payload.off('data', add)
      body = Buffer.alloc(0)
      reject(error)
      return
    }
    if (needed > body.length) body = grown(body, Math.min(bytesMax, 2 * needed))
    body.set(part, length)
    length = needed
  }
  payload.on('data', add).once('end', resolve)
  // The client has gone.
  const fail = () => reject(new ServiceError('malformed_request'))
  payload.once('error', fail).once('close', fail)
  await promise
  // A buffer of its own, which can be handed over to another thread.
  return length === body.length ? body : Buffer.from(body.buffer.transfer(length))
}

function grown(body: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(size)
  larger.set(body)
  return larger
}
