import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Linux counts a process's time in hundredths of a second. */
const TICK_US = 10_000

/** A process that used less than that in each of some times is idle. */
const IDLE = { checkMs: 500, usedUsMax: 25_000, times: 5 }

/** Time that a process and its threads have spent on a processor, in microseconds. */
export function cpuTimeUs(pid: number): number {
  // The name in brackets may hold anything; what follows the last one does not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Resident memory. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** Waits until a process is idle, so that the next one has the machine alone. */
export async function untilIdle(pid: number): Promise<void> {
  for (let times = 0; times < IDLE.times; ) {
    const startedUs = cpuTimeUs(pid)
    await setTimeout(IDLE.checkMs)
    times = cpuTimeUs(pid) - startedUs < IDLE.usedUsMax ? times + 1 : 0
  }
}
