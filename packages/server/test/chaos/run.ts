import { setTimeout as delay } from 'node:timers/promises'
import { SweepProgress, sweepExpired } from '../../src/features/retention/sweep.ts'
import { PLANS } from '../../src/features/rules/plans.ts'
import { openStore } from '../../src/store/open.ts'
import { createReceivers } from '../testing-receiver.ts'
import { checkHistory, recoveryMs, type Violation } from './checker.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { playFault } from './faults.ts'
import type { History, PlayedFault, StoredInbox, StoredMessage } from './history.ts'
import { type Load, type Seen, startLoad } from './load.ts'
import { type PlanOptions, planFaults, randomOf } from './plan.ts'

/** How a run is made. */
export type RunOptions = PlanOptions & {
  readonly recoveryMsMax: number
  readonly log: (line: string) => void
  /** Clients that wait at a time; two unless given. */
  readonly waiters?: number
  /** How much longer clients pause than in the long form. */
  readonly pauseFactor?: number
  /** Statements that break the database on purpose: the checker must find it. */
  readonly planted?: string
}

/** What came of a run. */
export type RunResult = {
  readonly history: History
  readonly violations: readonly Violation[]
  /** The longest time from the end of a fault until its nodes accepted mail again. */
  readonly recoveryMs: number
}

/** Longest wait for nodes after a fault; the checker judges by a shorter bound. */
const PATIENCE_MS = 30_000

/** Events are given up when none came for so long: longer than a lease and the second retry. */
const DELIVERY_MS_MAX = 90_000

/** When the sweep looks for what a crash has left behind. */
const SWEEP_MS = 2 * 60 * 60 * 1_000

/** Starts a cluster, plays the faults of a seed under load, and checks what happened. */
export async function runChaos(options: RunOptions): Promise<RunResult> {
  const random = randomOf(options.seed + 1)
  await using receivers = await createReceivers()
  await using cluster = await startCluster(options.nodes, {
    ...receivers.env,
    MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    MAYFLY_LOG_LEVEL: 'info',
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
  })
  if (options.planted !== undefined) await cluster.query(options.planted)
  await using load = await startLoad(cluster, {
    random,
    receivers,
    waiters: options.waiters ?? 2,
    pauseFactor: options.pauseFactor ?? 1,
  })
  const faults: PlayedFault[] = []
  await untilAccepting(load.seen, performance.now(), everyNode(cluster))
  for (const fault of planFaults(options)) {
    await cluster.servers.withStandby()
    await delay(fault.afterMs)
    const startedAt = performance.now()
    const nodes = await playFault(cluster, fault)
    if (nodes === null) {
      options.log(`${fault.kind}: skipped, needs the right to mount a disk`)
      continue
    }
    const endedAt = performance.now()
    faults.push({ kind: fault.kind, nodes, endedAt })
    await untilAccepting(load.seen, endedAt, nodes)
    const tookMs = Math.max(...nodes.map((node) => recoveryMs(load.seen.probes, node, endedAt)))
    const replies = repliesSince(load.seen, startedAt)
    options.log(
      `${fault.kind} of node ${fault.node}: accepting again after ${tookMs} ms; ${replies}`,
    )
  }
  const history = await end(cluster, load, faults)
  const judged = faults.flatMap(({ nodes, endedAt }) =>
    nodes.map((node) => recoveryMs(history.probes, node, endedAt)),
  )
  return {
    history,
    violations: checkHistory(history, options),
    recoveryMs: Math.max(0, ...judged),
  }
}

function everyNode(cluster: Cluster): readonly number[] {
  return cluster.nodes.map((_, index) => index)
}

/** Waits until these nodes have accepted a mail, for as long as there is patience. */
async function untilAccepting(seen: Seen, since: number, nodes: readonly number[]): Promise<void> {
  while (performance.now() - since < PATIENCE_MS) {
    if (nodes.every((node) => Number.isFinite(recoveryMs(seen.probes, node, since)))) return
    await delay(20)
  }
}

/** How many mails got which reply since then: `12 of 250, 3 of 452, 1 of none`. */
function repliesSince({ sends, deletedInboxIds }: Seen, since: number): string {
  const replies = sends
    .filter(({ endedAt, inboxId }) => endedAt >= since && !deletedInboxIds.includes(inboxId))
    .map(({ reply }) => reply?.slice(0, 3) ?? 'none')
  const counts = [...Map.groupBy(replies, (reply) => reply)].sort()
  return counts.map(([reply, { length }]) => `${length} of ${reply}`).join(', ')
}

async function end(cluster: Cluster, load: Load, faults: readonly PlayedFault[]): Promise<History> {
  await load.stop()
  const { seen } = load
  const inboxes = await storedInboxes(cluster, seen)
  const tokens = inboxes.flatMap(({ messages }) => messages.map(({ token }) => token))
  let lastAt = performance.now()
  let count = 0
  while (performance.now() - lastAt < DELIVERY_MS_MAX && !areDelivered(seen, tokens)) {
    if (seen.webhookRequests.length > count) lastAt = performance.now()
    count = seen.webhookRequests.length
    await delay(100)
  }
  await sweepLater(cluster.servers.url)
  const { sends, reads, waits, webhookRequests, probes, deletedInboxIds } = seen
  const read = { sends, reads, waits, webhookRequests, probes, deletedInboxIds }
  return { ...read, faults, exits: cluster.exits, inboxes, orphans: await orphans(cluster) }
}

/**
 * Sweeps as the nodes do later: a deletion that a fault interrupted between its transactions leaves
 * mails without messages, and deliveries without inboxes, which the sweep must find.
 */
async function sweepLater(url: string): Promise<void> {
  const store = await openStore({ url, exclusive: false })
  const { purgeInbox, deleteMails } = store
  const limitsOf = () => PLANS.unlimited
  const deps = {
    store,
    purgeInbox,
    deleteMails,
    limitsOf,
    clock: { now: () => Date.now() + SWEEP_MS },
    elapsedMs: () => performance.now(),
    pause: async () => {},
    isStopped: () => false,
  }
  const progress = new SweepProgress()
  do await sweepExpired(deps, progress)
  while (progress.mailId !== '' || progress.deliveriesOf !== '')
  await store.close()
}

function areDelivered(seen: Seen, tokens: readonly string[]): boolean {
  const requests = seen.webhookRequests.filter(({ status }) => status === 200)
  const delivered = new Set(requests.map(({ token }) => token))
  return tokens.every((token) => delivered.has(token))
}

async function storedInboxes(cluster: Cluster, seen: Seen): Promise<readonly StoredInbox[]> {
  const rows = await cluster.query<{
    id: string
    message_count: string
    size_bytes: string
    last_sequence: string
  }>('select id, message_count, size_bytes, last_sequence from inbox')
  const messages = await cluster.query<{
    id: string
    inbox_id: string
    sequence: string
    subject: string
  }>(
    'select message.id, inbox_id, sequence, subject from message join mail on mail.id = message.mail_id',
  )
  const byInbox = Map.groupBy(messages, (row) => row.inbox_id)
  const deleted = new Set(seen.deletedInboxIds)
  return rows
    .filter(({ id }) => seen.inboxIds.includes(id) && !deleted.has(id))
    .map((row) => ({
      inboxId: row.id,
      messageCount: Number(row.message_count),
      sizeBytes: Number(row.size_bytes),
      lastSequence: Number(row.last_sequence),
      messages: (byInbox.get(row.id) ?? []).map(
        ({ id, subject, sequence }): StoredMessage => ({
          id,
          token: subject,
          sequence: Number(sequence),
        }),
      ),
    }))
}

/** Rows that belong to nothing, by table. */
async function orphans(cluster: Cluster): Promise<Readonly<Record<string, number>>> {
  const parents = { mail: 'message', raw_mail: 'message', attachment: 'message' }
  const counted: [string, number][] = []
  for (const table of Object.keys(parents)) {
    const key = table === 'mail' ? 'id' : 'mail_id'
    const [row] = await cluster.query<{ count: string }>(
      `select count(*) as count from ${table}
       where not exists (select from message where message.mail_id = ${table}.${key})`,
    )
    counted.push([table, Number(row?.count ?? 0)])
  }
  const [row] = await cluster.query<{ count: string }>(
    `select count(*) as count from delivery
     where not exists (select from inbox where inbox.id = delivery.inbox_id)`,
  )
  counted.push(['delivery', Number(row?.count ?? 0)])
  return Object.fromEntries(counted)
}
