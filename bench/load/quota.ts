import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connected } from '../../packages/server/test/testing-postgres.ts'

/** A group of processes that get a share of a core together, however idle the machine is. */
export type Quota = Disposable & {
  /** Adds a process with its threads; those that it starts afterwards belong to it, too. */
  readonly add: (pid: number) => void
}

/** Short, so that a group that has used its share does not wait for long. */
const PERIOD_US = 20_000

/** Where the groups of the processor are: in version 1 of cgroups, or in version 2. */
const V1 = '/sys/fs/cgroup/cpu'
const V2 = '/sys/fs/cgroup'

let groups = 0

/** Makes a group with this share of a core, by cgroups of either version; needs root. */
export function quotaOf(cores: number): Quota {
  const isV1 = existsSync(join(V1, 'cgroup.procs'))
  groups += 1
  const group = join(isV1 ? V1 : V2, `mayfly-bench-${process.pid}-${groups}`)
  mkdirSync(group)
  const quota = Math.round(PERIOD_US * cores)
  if (isV1) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota))
  } else writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  return {
    add: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
    [Symbol.dispose]: () => {
      // A group with processes cannot be removed.
      const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
      for (const pid of pids) writeFileSync(join(isV1 ? V1 : V2, 'cgroup.procs'), pid)
      rmdirSync(group)
    },
  }
}

/** Adds all processes of a PostgreSQL server to a group. */
export async function addPostgres(quota: Quota, url: string): Promise<void> {
  const server = await connected(url, async (client) => {
    const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid ?? 0)
  })
  quota.add(server)
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name) && parentOf(Number(name)) === server) quota.add(Number(name))
  }
}

/** The parent of a process; 0 when it has ended. */
function parentOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[1])
  } catch {
    return 0
  }
}
