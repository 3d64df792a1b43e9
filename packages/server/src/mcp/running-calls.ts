/** Identifies one call: the key, the session of the client, and the client's request id. */
export type CallId = {
  readonly keyId: string
  readonly session: string | null
  readonly requestId: string | number
}

/**
 * The waiting calls on this node, so that another request can cancel one.
 *
 * Clients number their calls from 0. Two that share a key would cancel each other's calls, so a
 * client without a session cannot cancel.
 */
export class RunningCalls {
  readonly #stops = new Map<string, () => void>()

  /** Makes the call cancellable until disposal. */
  add(call: CallId, stop: () => void): Disposable {
    const key = keyOf(call)
    if (key !== null) this.#stops.set(key, stop)
    return {
      [Symbol.dispose]: () => {
        if (key !== null && this.#stops.get(key) === stop) this.#stops.delete(key)
      },
    }
  }

  /** Stops the call if it runs on this node. */
  cancel(call: CallId): void {
    const key = keyOf(call)
    if (key !== null) this.#stops.get(key)?.()
  }
}

function keyOf({ keyId, session, requestId }: CallId): string | null {
  return session === null ? null : JSON.stringify([keyId, session, requestId])
}
