import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'
import type { Fault, FaultKind } from './plan.ts'

/** Plays a fault, and resolves with the nodes that it hit once it is over. */
type Play = (cluster: Cluster, fault: Fault) => Promise<readonly number[]>

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
    await cluster.postgres.crashAndRestart()
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
    const clients = await openUntilRefused(cluster.postgres.url)
    await delay(holdMs)
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
    return everyNode(cluster)
  },
  lockInbox: async (cluster, { holdMs }) => {
    const client = new pg.Client({ connectionString: cluster.postgres.url })
    client.on('error', () => {})
    await client.connect()
    await client.query('begin')
    await client.query('select id from inbox order by id limit 1 for update skip locked')
    await delay(holdMs)
    await client.end()
    // No node stops for the sake of one inbox; the probes have others.
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
export function playFault(cluster: Cluster, fault: Fault): Promise<readonly number[]> {
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
