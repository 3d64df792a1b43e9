import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux keeps files there in memory. */
const MEMORY = '/dev/shm'

/** Enough for the databases of all test processes; containers often have 64 MB there. */
const BYTES_MIN = 4 * 2 ** 30

/** Where files lie that need not reach a disk: in memory where there is room. */
export function memoryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= BYTES_MIN ? MEMORY : tmpdir()
}
