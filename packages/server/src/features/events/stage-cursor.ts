import { earlierId } from '../../sortable-id.ts'

/**
 * How much later than its id an event may be stored: an id is made before its transaction, which
 * may wait for the one before it, each for as long as a statement may take.
 */
export const LATE_MS = 10_000

/** Events of an inbox read at a time: all that it has, also before the oldest are deleted. */
export const STAGES_MAX = 1_000

const NONE: ReadonlySet<string> = new Set()

/**
 * The position up to which the stored events of an inbox were delivered: refusals, near misses,
 * suspensions.
 *
 * Transactions end in any order, so an event may appear after others with later ids. Therefore the
 * last seconds before the newest event are read each time, and delivered ones are skipped. Only
 * events that are still stored are remembered: some hundreds at most.
 */
export class StageCursor {
  #after: string
  #delivered = NONE

  /** Events up to this id are never delivered. */
  constructor(after: string) {
    this.#after = after
  }

  /** All events after this id are to be read. */
  get after(): string {
    return this.#after
  }

  /**
   * The undelivered ones of all events after `after`, oldest first; now they count as delivered.
   */
  newSince<Event extends { readonly id: string }>(stored: readonly Event[]): readonly Event[] {
    const newest = stored.at(-1)
    if (newest === undefined) return []
    const unseen = stored.filter(({ id }) => !this.#delivered.has(id))
    const after = earlierId(newest.id, LATE_MS)
    if (after > this.#after) this.#after = after
    this.#delivered = new Set(stored.map(({ id }) => id).filter((id) => id > this.#after))
    return unseen
  }
}
