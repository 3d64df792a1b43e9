import type { getPriority, setPriority } from 'node:os'

/** The parts of `node:os` for priorities. */
type Priorities = {
  readonly getPriority: typeof getPriority
  readonly setPriority: typeof setPriority
}

/**
 * Gives up priority, down to this nice value. One that is lower already stays: an ordinary user may
 * not raise it, and would get EACCES.
 */
export function lowerPriority(os: Priorities, niceValue: number): void {
  if (os.getPriority() < niceValue) os.setPriority(niceValue)
}
