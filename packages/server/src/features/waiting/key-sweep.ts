import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Keys in one query. */
const CHUNK = 500

/**
 * Ends the waits and streams whose key was revoked or rotated, or whose account was suspended, by
 * whomever: this node, another one, or the operator's command in a process of its own.
 */
export async function endRevokedKeys(deps: {
  readonly store: Tables
  readonly clock: Clock
  readonly subscriptions: Pick<Subscriptions<string>, 'keys' | 'endKey'>
}): Promise<void> {
  const keys = deps.subscriptions.keys()
  for (let start = 0; start < keys.length; start += CHUNK) {
    const chunk = keys.slice(start, start + CHUNK)
    const ids = chunk.map(({ keyId }) => keyId)
    const prefixes = await deps.store.keys.activePrefixes(ids, deps.clock.now())
    for (const key of chunk) {
      if (prefixes.get(key.keyId) !== key.keyPrefix) deps.subscriptions.endKey(key)
    }
  }
}
