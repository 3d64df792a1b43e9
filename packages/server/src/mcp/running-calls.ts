/** What names one call: the key, the client's own session, and the id that the client gave it. */
export type CallName = {
  readonly keyId: string
  readonly session: string | null
  readonly requestId: string | number
}

/**
 * The calls that wait on this node, so that another request can cancel one.
 *
 * Clients number their calls from 0. Two that share a key would cancel each other's, so a call
 * can be named only by a client that shows its session.
 */
export class RunningCalls {
  readonly #stops = new Map<string, () => void>()

  /** From now until disposal the call can be cancelled. */
  add(call: CallName, stop: () => void): Disposable {
    const name = nameOf(call)
    if (name !== null) this.#stops.set(name, stop)
    return {
      [Symbol.dispose]: () => {
        if (name !== null && this.#stops.get(name) === stop) this.#stops.delete(name)
      },
    }
  }

  /** Stops the call, if it runs here. */
  cancel(call: CallName): void {
    const name = nameOf(call)
    if (name !== null) this.#stops.get(name)?.()
  }
}

function nameOf({ keyId, session, requestId }: CallName): string | null {
  return session === null ? null : JSON.stringify([keyId, session, requestId])
}
