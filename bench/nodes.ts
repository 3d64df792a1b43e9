// What a mail costs on several nodes: processor time of the nodes and of PostgreSQL, with one node
// and with three on one database, each under the same load, in turns.
//
//   node bench/nodes.ts [--rounds=6]

import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { processorTime, stolenPercent } from '../packages/server/test/testing-processor-time.ts'
import { type Mayfly, startMayfly } from './contenders/mayfly.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { postgresCpuUs, postgresPid } from './load/postgres-cpu.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const ROUNDS = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 6)
/** For each node: the code of a process gets faster with the mails that it has seen. */
const MAILS = 2_000
const WARM_UP_ROUNDS = 2
const LOAD = { connections: 6, sizeBytes: 4_000, isReused: true } as const

/** What the nodes do after the load, as index its mails, is part of what a mail costs. */
const SETTLE_MS = 3_000
const GOAL = 1.2

type Cluster = { readonly postgres: number; readonly nodes: readonly Node[] }
/** Processor time, of all nodes and of PostgreSQL. */
type Cost = { readonly nodesUs: number; readonly postgresUs: number }
type Node = Mayfly & { readonly letter: string }

await using stack = new AsyncDisposableStack()
const [one, three] = [await startCluster(['b']), await startCluster(['b', 'c', 'd'])]
const measureBoth = async () => ({ one: await measure(one), three: await measure(three) })
for (let round = 0; round < WARM_UP_ROUNDS; round++) await measureBoth()
const before = processorTime()
const rounds: Awaited<ReturnType<typeof measureBoth>>[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await measureBoth())
console.log(
  `load average ${loadavg()[0]?.toFixed(1)}, stolen ${stolenPercent(before).toFixed(0)} %`,
)
show(
  'one node',
  rounds.map((round) => round.one),
)
show(
  'three nodes',
  rounds.map((round) => round.three),
)
const ratio = median(rounds.map((round) => sum(round.three) / sum(round.one)))
console.log(
  `three nodes against one, median of ${ROUNDS} rounds: ${ratio.toFixed(2)} (goal at most ${GOAL}: ${ratio <= GOAL ? 'reached' : 'MISSED'})`,
)

/** A PostgreSQL server of its own with a node for each letter, with inboxes. */
async function startCluster(letters: readonly string[]): Promise<Cluster> {
  const server = stack.use(await startPostgres({}))
  const { url } = stack.use(await createDatabase(server.url))
  const nodes: Node[] = []
  for (const letter of letters) {
    const name = `node ${letter}`
    const database = { url, [Symbol.asyncDispose]: async () => {} }
    const options = { name, database, inboxes: MAILS, letter }
    nodes.push({ ...stack.use(await startMayfly(options)), letter })
  }
  return { postgres: await postgresPid(server.url), nodes }
}

/** Sends the load through all nodes at once; what a mail costs. */
async function measure(cluster: Cluster): Promise<Cost> {
  const started = usedUs(cluster)
  await Promise.all(
    cluster.nodes.map(({ port, letter }) =>
      runSmtpSource({ ...LOAD, port, mails: MAILS, recipient: `${letter}@mayfly.test` }),
    ),
  )
  await setTimeout(SETTLE_MS)
  const ended = usedUs(cluster)
  const mails = MAILS * cluster.nodes.length
  return {
    nodesUs: (ended.nodesUs - started.nodesUs) / mails,
    postgresUs: (ended.postgresUs - started.postgresUs) / mails,
  }
}

function usedUs({ postgres, nodes }: Cluster): Cost {
  return {
    nodesUs: nodes.reduce((total, { pid }) => total + cpuTimeUs(pid), 0),
    postgresUs: postgresCpuUs(postgres),
  }
}

function show(name: string, costs: readonly Cost[]): void {
  const part = (of: (cost: Cost) => number) => median(costs.map(of)).toFixed(0)
  console.log(
    `${name}: ${part(sum)} µs of processor time a mail; the service ${part(({ nodesUs }) => nodesUs)}, PostgreSQL ${part(({ postgresUs }) => postgresUs)}`,
  )
}

function sum({ nodesUs, postgresUs }: Cost): number {
  return nodesUs + postgresUs
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
