import { isMarkedAsUntransferable } from 'node:worker_threads'

/** The bytes in a buffer of their own, which can be handed to another thread instead of copied. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isOwn =
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === bytes.byteLength &&
    !isMarkedAsUntransferable(buffer)
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes)
}
