import type { IncomingMessage } from 'node:http'
import type { AccountId } from '@mayfly/contract'
import { AccountMemory, type MemoryLimits } from './account-memory.ts'
import { collectBody } from './collect-body.ts'

/** A body, and whose it is. */
type OwnBody = {
  readonly owner: AccountId
  readonly payload: IncomingMessage
  /** Most bytes of this one. */
  readonly bytesMax: number
}

const NO_ROOM =
  'Too many large bodies are being received. Nothing was stored; try again in a moment.'

/** Memory for large bodies: each is counted from its arrival until its request is done. */
export class BodyMemory {
  readonly #memory: AccountMemory

  constructor(limits: MemoryLimits) {
    this.#memory = new AccountMemory(limits, NO_ROOM)
  }

  /** Reads a body and runs a function with it. Throws when the memory for bodies is used up. */
  async whileReserved<T>(
    { owner, payload, bytesMax }: OwnBody,
    use: (body: Buffer) => Promise<T>,
  ): Promise<T> {
    let ownBytes = 0
    const count = (sizeBytes: number) => {
      this.#memory.add(owner, sizeBytes)
      ownBytes += sizeBytes
    }
    try {
      return await use(await collectBody(payload, bytesMax, count))
    } finally {
      this.#memory.remove(owner, ownBytes)
    }
  }
}
