// PostgreSQL with a standby that can take over.

import { connected } from '../testing-postgres.ts'
import { until } from '../testing-until.ts'
import { createServer, type Server } from './postgres-server.ts'

/** A primary with a standby. */
export type Servers = AsyncDisposable & {
  /** That of the server that is the primary now. */
  readonly url: string
  /** Ends every process of the primary at once, as a crash does, and starts it again. */
  crashAndRestart(): Promise<void>
  /** Crashes the primary and promotes the standby. The crashed server becomes its standby. */
  failOver(): Promise<void>
  /** Resolves when the primary has its standby. */
  withStandby(): Promise<void>
  /** Takes all space of the primary's disk; null when it has no disk of its own. */
  fillDisk(): (() => Promise<void>) | null
}

/** Unlike the names of the nodes: a fault ends connections by name. */
const STANDBY = 'standby'

/** Starts both. A synchronous standby has each commit before it is acknowledged. */
export async function startServers(isSynchronous: boolean): Promise<Servers> {
  await using stack = new AsyncDisposableStack()
  let primary = stack.use(await createServer())
  let standby = stack.use(await createServer())
  await primary.initialise()
  await primary.start()
  const follow = async () => {
    await standby.copyFrom(primary, STANDBY)
    await until(() => hasStandby(primary, 'async'))
    if (!isSynchronous) return
    await setSynchronous(primary)
    await until(() => hasStandby(primary, 'sync'))
  }
  await follow()
  let following = Promise.resolve()
  const started = stack.move()
  return {
    get url() {
      return primary.url
    },
    crashAndRestart: async () => {
      await primary.crash()
      await primary.start()
    },
    failOver: async () => {
      await following
      await primary.crash()
      await connected(standby.url, (client) => client.query('select pg_promote()'))
      ;[primary, standby] = [standby, primary]
      following = follow()
      // Whoever waits for the standby is told.
      following.catch(() => {})
    },
    withStandby: () => following,
    fillDisk: () => primary.fillDisk(),
    [Symbol.asyncDispose]: async () => {
      await following.catch(() => {})
      await started.disposeAsync()
    },
  }
}

function hasStandby({ url }: Server, state: 'async' | 'sync'): Promise<true | null> {
  return connected(url, async (client) => {
    const { rows } = await client.query(
      `select 1 from pg_stat_replication
        where application_name = $1 and state = 'streaming' and sync_state = $2`,
      [STANDBY, state],
    )
    return rows.length > 0 ? true : null
  })
}

async function setSynchronous({ url }: Server): Promise<void> {
  await connected(url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${STANDBY}'`)
    await client.query('select pg_reload_conf()')
  })
}
