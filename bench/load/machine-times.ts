import { readFileSync } from 'node:fs'

/** All processor time of the machine, and how much of it the host took, in ticks. */
export function machineTimes(): { readonly all: number; readonly stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = line.split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 }
}

/** How much of the processor time since then the host took. */
export function stolenPercent(before: ReturnType<typeof machineTimes>): number {
  const now = machineTimes()
  return (100 * (now.stolen - before.stolen)) / Math.max(1, now.all - before.all)
}
