import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'
import type { Fault, FaultKind } from './plan.ts'

/**
 * Plays a fault, and resolves with the nodes that it hit once it is over; null when this machine
 * does not allow it.
 */
type Play = (cluster: Cluster, fault: Fault) => Promise<readonly number[] | null>

/** How far a clock jumps. */
const JUMP_MS = 600_000

/** Longest that a trap for a COMMIT waits for one. */
const TRAP_MS_MAX = 5_000

const PLAYS: Readonly<Record<FaultKind, Play>> = {
  kill: async (cluster, { node, holdMs }) => {
    await cluster.kill(node)
    await delay(holdMs)
    await cluster.restart(node)
    return [node]
  },
  freeze: async (cluster, { node, holdMs }) => {
    const { child } = cluster.nodes[node]?.process ?? {}
    child?.kill('SIGSTOP')
    await delay(holdMs)
    child?.kill('SIGCONT')
    return [node]
  },
  terminateBackends: async (cluster) => {
    await cluster.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'mayfly%' and pid <> pg_backend_pid()`)
    return everyNode(cluster)
  },
  restartDatabase: async (cluster) => {
    await cluster.servers.crashAndRestart()
    return everyNode(cluster)
  },
  freezeDatabase: async (cluster, { holdMs }) => {
    const thaw = await cluster.freezeDatabase()
    await delay(holdMs)
    thaw()
    return everyNode(cluster)
  },
  cutBeforeCommit: (cluster, { node }) => cutAtCommit(cluster, node, 'before'),
  cutAfterCommit: (cluster, { node }) => cutAtCommit(cluster, node, 'after'),
  silence: async (cluster, { node, holdMs }) => {
    const proxy = cluster.nodes[node]?.proxy
    proxy?.failAll('silence')
    await delay(holdMs)
    proxy?.failAll('cut')
    return [node]
  },
  exhaustConnections: async (cluster, { holdMs }) => {
    const clients = await openUntilRefused(cluster.servers.url)
    await delay(holdMs)
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
    return everyNode(cluster)
  },
  // Every statement waits, each with a connection of a node's pool.
  exhaustPools: async (cluster, { holdMs }) => {
    await holding(cluster, holdMs, ['lock table inbox in access exclusive mode'])
    return everyNode(cluster)
  },
  lockInbox: async (cluster, { holdMs }) => {
    await holding(cluster, holdMs, [
      // Those that most mail has come for: it is coming for them now.
      `select id from inbox where id in (select id from inbox order by last_sequence desc limit 4)
       order by id for update skip locked`,
    ])
    // No node stops for the sake of one inbox; the probes have others.
    return everyNode(cluster)
  },
  // Nothing that is deleted can be vacuumed, and no notification leaves the queue.
  holdSnapshot: async (cluster, { holdMs }) => {
    await holding(cluster, holdMs, [
      'commit',
      'listen mayfly_inboxes',
      'begin isolation level repeatable read',
      'select txid_current(), count(*) from message',
    ])
    return everyNode(cluster)
  },
  skewClock: async (cluster, { node, holdMs }) => {
    const { skewMs } = cluster.nodes[node] ?? { skewMs: 0 }
    cluster.skewClock(node, skewMs + JUMP_MS)
    await delay(holdMs)
    cluster.skewClock(node, skewMs - JUMP_MS)
    await delay(holdMs)
    cluster.skewClock(node, skewMs)
    return [node]
  },
  fillDisk: async (cluster, { holdMs }) => {
    const free = cluster.servers.fillDisk()
    if (free === null) return null
    await delay(holdMs)
    await free()
    return everyNode(cluster)
  },
  promoteStandby: async (cluster) => {
    await cluster.servers.failOver()
    for (const { proxy } of cluster.nodes) {
      proxy.retarget(cluster.servers.url)
      proxy.failAll('cut')
    }
    return everyNode(cluster)
  },
  foreignNotify: async (cluster) => {
    for (const payload of ['garbage', '{', 'null', '{"node":7}', '{"node":"x","inboxIds":{}}']) {
      await cluster.query(`select pg_notify('mayfly_inboxes', '${payload}')`)
    }
    return everyNode(cluster)
  },
}

/** Plays a fault of a plan. */
export async function playFault(cluster: Cluster, fault: Fault): Promise<readonly number[] | null> {
  return PLAYS[fault.kind](cluster, fault)
}

function everyNode(cluster: Cluster): readonly number[] {
  return cluster.nodes.map((_, index) => index)
}

async function cutAtCommit(cluster: Cluster, node: number, when: 'before' | 'after') {
  const cut = cluster.nodes[node]?.proxy.failAt('commit', 'cut', when)
  await Promise.race([cut, delay(TRAP_MS_MAX)])
  return [node]
}

/** Runs statements in a transaction of another client, which stays open for so long. */
async function holding(
  cluster: Cluster,
  holdMs: number,
  statements: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.servers.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  for (const statement of statements) await client.query(statement)
  await delay(holdMs)
  await client.end()
}

async function openUntilRefused(url: string): Promise<readonly pg.Client[]> {
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      return clients
    }
    clients.push(client)
  }
}
