import { readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second. */
const TICK_US = 10_000

/** Time that a process and its threads have spent on a processor, in microseconds. */
export function cpuTimeUs(pid: number | undefined): number {
  const [user, system] = timesOf(pid)
  return (Number(user) + Number(system)) * TICK_US
}

/** Time that processes which a process started, and which have ended, spent on a processor. */
export function endedChildrenUs(pid: number): number {
  const [, , user, system] = timesOf(pid)
  return (Number(user) + Number(system)) * TICK_US
}

/** Of the process by itself and in the system, then both of its children that have ended. */
function timesOf(pid: number | undefined): readonly string[] {
  // The name in brackets may hold anything; what follows the last one does not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return fields.slice(11, 15)
}
