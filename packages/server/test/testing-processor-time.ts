import { readFileSync } from 'node:fs'

/** Processor time in milliseconds since some start; differences count. */
export type ProcessorTime = {
  /** Of this process and of all processes that it started and that have ended. */
  readonly ownMs: number
  /** Of all cores of the machine: in all, while busy, and while the host took them away. */
  readonly allMs: number
  readonly busyMs: number
  readonly stolenMs: number
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Processor time until now. */
export function processorTime(): ProcessorTime {
  const own = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const machine = line.split(/\s+/).slice(1, 9).map(Number)
  const [, , , idle = 0, waiting = 0, , , stolen = 0] = machine
  const all = sum(machine)
  return {
    ownMs: sum(own.slice(11, 15).map(Number)) * TICK_MS,
    allMs: all * TICK_MS,
    busyMs: (all - idle - waiting) * TICK_MS,
    stolenMs: stolen * TICK_MS,
  }
}

/** How much of the processor time since then the host took. */
export function stolenPercent(before: ProcessorTime): number {
  const now = processorTime()
  return (100 * (now.stolenMs - before.stolenMs)) / Math.max(1, now.allMs - before.allMs)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
