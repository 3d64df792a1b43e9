import type { InboxId } from '@mayfly/contract'
import type { Tables } from '../../store/open.ts'
import type { Arrivals } from './arrivals.ts'

/** Inboxes asked about in one query. */
const CHUNK = 500

/**
 * Finds what an announcement should have told and did not: inboxes that somebody waits on
 * and that have grown, or gone, since the last sweep.
 *
 * One query for hundreds of waits, instead of a look by each of them.
 */
export class ArrivalSweep {
  #known = new Map<InboxId, number>()

  /** Looks once; whoever waits on what has changed is woken. */
  async run(deps: { readonly store: Tables; readonly arrivals: Arrivals }): Promise<void> {
    const awaited = deps.arrivals.awaited()
    const known = new Map<InboxId, number>()
    for (let start = 0; start < awaited.length; start += CHUNK) {
      const ids = awaited.slice(start, start + CHUNK)
      const sequences = await deps.store.inboxes.lastSequences(ids)
      const changed = ids.filter((id) => {
        const sequence = sequences.get(id)
        if (sequence !== undefined) known.set(id, sequence)
        // An inbox first seen now may have grown since its wait looked: look once more.
        return sequence === undefined || this.#known.get(id) !== sequence
      })
      deps.arrivals.wake(changed)
    }
    this.#known = known
  }
}
