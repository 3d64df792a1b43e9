import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connected } from '../../packages/server/test/testing-postgres.ts'
import { cpuTimeUs, endedChildrenUs } from './cpu-time.ts'

/** The first process of the PostgreSQL server at this URL, which must run on this machine. */
export async function postgresPid(url: string): Promise<number> {
  const { rows } = await connected(url, (client) =>
    client.query<{ readonly data_directory: string }>('show data_directory'),
  )
  const file = join(rows[0]?.data_directory ?? '', 'postmaster.pid')
  return Number(readFileSync(file, 'utf8').split('\n')[0])
}

/** Time that all processes of a server have spent on a processor, in microseconds. */
export function postgresCpuUs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = children.split(' ').filter(Boolean).map(Number)
  const running = [pid, ...pids].map((one) => {
    try {
      return cpuTimeUs(one)
    } catch {
      // It has just ended, and counts with those that have.
      return 0
    }
  })
  return running.reduce((sum, one) => sum + one, endedChildrenUs(pid))
}
