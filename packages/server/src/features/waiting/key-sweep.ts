import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import { accountMoving } from '../rules/cell.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Keys in one query. */
const CHUNK = 500

/**
 * Ends the waits and streams whose key was revoked or rotated, or whose account was suspended or is
 * being moved, by whomever: this node, another one, or the operator's command in a process of its
 * own.
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
    const active = await deps.store.keys.findActive(ids, deps.clock.now())
    for (const key of chunk) {
      const found = active.get(key.keyId)
      if (found?.prefix !== key.keyPrefix) deps.subscriptions.endKey(key)
      else if (found.movingTo !== null) {
        deps.subscriptions.endKey(key, accountMoving(found.movingTo))
      }
    }
  }
}
