import type { InboxId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Inboxes in one query. */
const CHUNK = 500

/**
 * Finds unannounced changes: inboxes with a subscription that got messages or were deleted since
 * the last sweep.
 *
 * One query for hundreds of waits, instead of one for each.
 */
export class ArrivalSweep {
  #known = new Map<InboxId, number>()

  /** Queries once, and wakes the subscriptions of inboxes that have changed. */
  async run(deps: {
    readonly store: Tables
    readonly subscriptions: Subscriptions<InboxId>
  }): Promise<void> {
    const subscribed = deps.subscriptions.topics()
    const known = new Map<InboxId, number>()
    for (let start = 0; start < subscribed.length; start += CHUNK) {
      const ids = subscribed.slice(start, start + CHUNK)
      const sequences = await deps.store.inboxes.lastSequences(ids)
      const changed = ids.filter((id) => {
        const sequence = sequences.get(id)
        if (sequence !== undefined) known.set(id, sequence)
        // An inbox that is new here may have got mail since the query of its wait.
        return sequence === undefined || this.#known.get(id) !== sequence
      })
      deps.subscriptions.wake(changed)
    }
    this.#known = known
  }
}
