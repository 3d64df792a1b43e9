// Responses that were made and that their clients have not taken yet. Node keeps what does not fit
// into the buffers of a connection, so clients that do not read would use any amount of memory.

import type { AccountId } from '@mayfly/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccountMemory, type MemoryLimits } from '../platform/request-body/account-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose mail the response has, on routes without an authenticated caller. */
    contentOwner: AccountId | null
  }
}

/** Bytes of unread responses in memory; two of the largest messages for an account. */
export const UNREAD_BYTES: MemoryLimits = {
  bytesMax: 256 * 1024 * 1024,
  accountBytesMax: 64 * 1024 * 1024,
}

/** Smaller responses are not counted: the buffers of their connections take more. */
const COUNTED_BYTES_MIN = 64 * 1024

const REFUSAL =
  'Earlier responses have not been read, and take all the memory for them. Read them, then try again.'

/** Refuses to send large responses while too many bytes of earlier ones are unread. */
export function limitUnreadResponses(http: FastifyInstance, limits = UNREAD_BYTES): void {
  const memory = new AccountMemory(limits, REFUSAL)
  /** How many responses have the same bytes: waits that one mail ends share them. */
  const uses = new Map<Uint8Array, number>()
  const hold = (owner: AccountId, body: Uint8Array | string) => {
    const sizeBytes = Buffer.byteLength(body)
    if (typeof body === 'string') {
      memory.add(owner, sizeBytes)
      return () => memory.remove(owner, sizeBytes)
    }
    const others = uses.get(body) ?? 0
    if (others === 0) memory.add(owner, sizeBytes)
    uses.set(body, others + 1)
    return () => {
      const left = (uses.get(body) ?? 1) - 1
      if (left > 0) return void uses.set(body, left)
      uses.delete(body)
      memory.remove(owner, sizeBytes)
    }
  }
  http.decorateRequest('contentOwner', null)
  http.addHook('onSend', async (request, reply, body: unknown) => {
    const owner = ownerOf(request)
    if (owner === null || !isLarge(body) || isClosed(reply)) return body
    try {
      reply.raw.once('close', hold(owner, body))
      return body
    } catch (error) {
      // Headers of the file that is not sent.
      reply.removeHeader('content-disposition').removeHeader('content-security-policy')
      throw error
    }
  })
}

function ownerOf(request: FastifyRequest): AccountId | null {
  // Both are missing on routes without authentication.
  const { caller, access } = request as Partial<FastifyRequest>
  return (caller ?? access?.caller)?.accountId ?? request.contentOwner
}

function isLarge(body: unknown): body is Uint8Array | string {
  const isBytes = typeof body === 'string' || body instanceof Uint8Array
  return isBytes && body.length >= COUNTED_BYTES_MIN
}

/** Whether the event that ends the count has happened already. */
function isClosed({ raw, request }: FastifyReply): boolean {
  return raw.closed || request.raw.socket.destroyed
}
