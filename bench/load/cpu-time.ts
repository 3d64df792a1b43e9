import { readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second. */
const TICK_US = 10_000

/** Time that a process and its threads have spent on a processor, in microseconds. */
export function cpuTimeUs(pid: number | undefined): number {
  // The name in brackets may hold anything; what follows the last one does not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * TICK_US
}
