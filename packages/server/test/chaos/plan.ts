/** Everything that a run may do to its cluster. */
export const FAULT_KINDS = [
  'kill',
  'freeze',
  'terminateBackends',
  'restartDatabase',
  'freezeDatabase',
  'cutBeforeCommit',
  'cutAfterCommit',
  'silence',
  'exhaustConnections',
  'exhaustPools',
  'lockInbox',
  'holdSnapshot',
  'skewClock',
  'fillDisk',
  'foreignNotify',
  'promoteStandby',
] as const

/** A kind of fault. */
export type FaultKind = (typeof FAULT_KINDS)[number]

/** One fault of a plan. */
export type Fault = {
  readonly kind: FaultKind
  /** The node that it hits, from 0; the others feel it through the database. */
  readonly node: number
  /** From the end of the fault before it. */
  readonly afterMs: number
  /** How long it lasts, where that can be chosen. */
  readonly holdMs: number
}

/** What a plan is made for. */
export type PlanOptions = {
  readonly seed: number
  readonly durationMs: number
  readonly nodes: number
  /** Longest that a fault is held. */
  readonly holdMsMax: number
  readonly kinds?: readonly FaultKind[]
}

const PAUSE_MS = { min: 300, max: 1_500 }
const HOLD_MS_MIN = 500

/** The faults of a seed: the same seed and options give the same plan. */
export function planFaults(options: PlanOptions): readonly Fault[] {
  const { seed, durationMs, nodes, holdMsMax, kinds = FAULT_KINDS } = options
  const next = randomOf(seed)
  const pick = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const faults: Fault[] = []
  // Every kind once before any comes again, in an order of the seed.
  let bag: FaultKind[] = []
  for (let at = 0; at < durationMs; ) {
    if (bag.length === 0) bag = [...kinds]
    const [kind] = bag.splice(pick(0, bag.length - 1), 1)
    if (kind === undefined) break
    const afterMs = pick(PAUSE_MS.min, PAUSE_MS.max)
    const holdMs = pick(HOLD_MS_MIN, holdMsMax)
    faults.push({ kind, node: pick(0, nodes - 1), afterMs, holdMs })
    at += afterMs + holdMs
  }
  return faults
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
