import type { IncomingMessage } from 'node:http'
import type { AccountId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import { collectBody } from './collect-body.ts'

/** Most bytes in memory, of all bodies and of those of one account. */
type RoomLimits = { readonly bytesMax: number; readonly accountBytesMax: number }

/** A body, and whose it is. */
type OwnBody = {
  readonly owner: AccountId
  readonly payload: IncomingMessage
  /** Most bytes of this one. */
  readonly bytesMax: number
}

const NO_ROOM = {
  message: 'Too many large bodies are being received. Nothing was stored; try again in a moment.',
  retryAfterSeconds: 2,
}

/** Memory for large bodies: each is counted from its arrival until its request is done. */
export class BodyMemory {
  readonly #limits: RoomLimits
  readonly #heldBytes = new Map<AccountId, number>()
  #allBytes = 0

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  /** Reads a body and runs a function with it. Throws when the memory for bodies is used up. */
  async whileReserved<T>(
    { owner, payload, bytesMax }: OwnBody,
    use: (body: Buffer) => Promise<T>,
  ): Promise<T> {
    let ownBytes = 0
    const count = (sizeBytes: number) => {
      this.#add(owner, sizeBytes)
      ownBytes += sizeBytes
    }
    try {
      return await use(await collectBody(payload, bytesMax, count))
    } finally {
      this.#remove(owner, ownBytes)
    }
  }

  #add(owner: AccountId, sizeBytes: number): void {
    const heldBytes = (this.#heldBytes.get(owner) ?? 0) + sizeBytes
    const allBytes = this.#allBytes + sizeBytes
    if (heldBytes > this.#limits.accountBytesMax || allBytes > this.#limits.bytesMax) {
      throw new ServiceError('content_unavailable', NO_ROOM)
    }
    this.#heldBytes.set(owner, heldBytes)
    this.#allBytes = allBytes
  }

  #remove(owner: AccountId, sizeBytes: number): void {
    const heldBytes = (this.#heldBytes.get(owner) ?? 0) - sizeBytes
    if (heldBytes === 0) this.#heldBytes.delete(owner)
    else this.#heldBytes.set(owner, heldBytes)
    this.#allBytes -= sizeBytes
  }
}
