import type { getPriority, setPriority } from 'node:os'

/** The parts of `node:os` for priorities. */
type Priorities = {
  readonly getPriority: typeof getPriority
  readonly setPriority: typeof setPriority
}

/** The lowest priority. */
const NICE_MAX = 19

/**
 * Gives up priority, by this many steps. Not down to a fixed value: a thread far below the others
 * of a service with a high priority would rarely run, and not end its transactions.
 */
export function lowerPriority(os: Priorities, steps: number): void {
  os.setPriority(Math.min(NICE_MAX, os.getPriority() + steps))
}
