// What a mail costs on several nodes: processor time of all nodes and of PostgreSQL for the same
// load, on three nodes that share it and on one, in turns.
//
//   node bench/nodes.ts [--rounds=6]

import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { type Mayfly, startMayfly } from './contenders/mayfly.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { machineTimes, stolenPercent } from './load/machine-times.ts'
import { postgresCpuUs, postgresPid } from './load/postgres-cpu.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const ROUNDS = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 6)
const MAILS = 3_000
const LOAD = { connections: 6, sizeBytes: 4_000, isReused: true } as const

/** What the nodes do after the load, as index its mails, is part of what a mail costs. */
const SETTLE_MS = 3_000
const GOAL = 1.2

type Cluster = { readonly postgres: number; readonly nodes: readonly Node[] }
type Node = Mayfly & { readonly letter: string }

await using stack = new AsyncDisposableStack()
const [one, three] = [await startCluster(['b']), await startCluster(['b', 'c', 'd'])]
// The first mails of a process cost more.
for (const cluster of [one, three]) await measure(cluster)
const before = machineTimes()
const rounds: { readonly one: number; readonly three: number }[] = []
for (let round = 0; round < ROUNDS; round++) {
  rounds.push({ one: await measure(one), three: await measure(three) })
}
const [ofOne, ofThree] = [rounds.map((round) => round.one), rounds.map((round) => round.three)]
const ratio = median(rounds.map((round) => round.three / round.one))
console.log(
  `load average ${loadavg()[0]?.toFixed(1)}, stolen ${stolenPercent(before).toFixed(0)} %`,
)
console.log(`one node: ${shown(ofOne)} µs of processor time a mail, PostgreSQL's included`)
console.log(`three nodes: ${shown(ofThree)} µs`)
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
    const inboxes = MAILS / letters.length
    nodes.push({ ...stack.use(await startMayfly({ name, database, inboxes, letter })), letter })
  }
  return { postgres: await postgresPid(server.url), nodes }
}

/** Sends the load through all nodes at once; the processor time of a mail in microseconds. */
async function measure(cluster: Cluster): Promise<number> {
  const startedUs = usedUs(cluster)
  const mails = MAILS / cluster.nodes.length
  await Promise.all(
    cluster.nodes.map(({ port, letter }) =>
      runSmtpSource({ ...LOAD, port, mails, recipient: `${letter}@mayfly.test` }),
    ),
  )
  await setTimeout(SETTLE_MS)
  return (usedUs(cluster) - startedUs) / MAILS
}

function usedUs({ postgres, nodes }: Cluster): number {
  return nodes.reduce((sum, { pid }) => sum + cpuTimeUs(pid), postgresCpuUs(postgres))
}

function shown(values: readonly number[]): string {
  const [least = 0, most = 0] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
