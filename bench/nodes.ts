// Whether nodes of one cell add up: mails a second of one node, and of several over the same
// PostgreSQL, each node with the same share of a core. What idle nodes cost a busy one. And how
// much a mail adds to the write-ahead log.
//
//   node bench/nodes.ts [--nodes=3] [--rounds=4] [--seconds=15] [--share=0.2] [--clients=8]
//                       [--postgres=0]            a share for PostgreSQL; 0: all that it asks for
//
// Needs root and cgroups.

import {
  connected,
  createDatabase,
  startPostgres,
} from '../packages/server/test/testing-postgres.ts'
import { sendMails } from './load/loops.ts'
import { untilIdle } from './load/process.ts'
import { addPostgres, quotaOf } from './load/quota.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'
import { createInboxes, type Inbox, type Service, startService } from './load/service.ts'

const NODES = option('nodes', 3)
const ROUNDS = option('rounds', 4)
const SECONDS = option('seconds', 15)
const SHARE = option('share', 0.2)
const CLIENTS = option('clients', 8)
const POSTGRES_SHARE = option('postgres', 0)
const GOALS = { sum: 2.2, beside: 0.95, logBytes: 5_000 }

type Loaded = { readonly node: Service; readonly inboxes: readonly Inbox[] }

using _machine = watchMachine()
await using postgres = await startPostgres({})
await using database = await createDatabase(postgres.url)
const databaseUrl = database.url
await using resources = new AsyncDisposableStack()
if (POSTGRES_SHARE > 0) {
  await addPostgres(resources.use(quotaOf(POSTGRES_SHARE)), databaseUrl)
}
const nodes: Loaded[] = []
for (let index = 0; index < NODES; index += 1) nodes.push(await startNode(resources))
const [first] = nodes
if (first === undefined) throw new Error('--nodes is 1 or more')
await compareSums()
await compareIdle(first)

async function startNode(parts: AsyncDisposableStack): Promise<Loaded> {
  const node = parts.use(await startService({ databaseUrl }))
  const inboxes = await createInboxes(node, CLIENTS)
  parts.use(quotaOf(SHARE)).add(node.pid)
  return { node, inboxes }
}

/** Mails a second of the first node, and of all of them, in turns. */
async function compareSums(): Promise<void> {
  // A node is slow until its code is compiled.
  await load(nodes)
  const ratios: number[] = []
  const logBytes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await logPosition()
    const one = await load(nodes.slice(0, 1))
    logBytes.push(((await logPosition()) - before) / (one * SECONDS))
    const sum = await load(nodes)
    console.log(`  mails a second: ${one.toFixed(0)}, ${NODES} nodes ${sum.toFixed(0)}`)
    ratios.push(sum / one)
  }
  const goal = (GOALS.sum * NODES) / 3
  printFigure(`${NODES} nodes against 1`, median(ratios), { atLeast: goal })
  printFigure('bytes of write-ahead log a mail', median(logBytes), { atMost: GOALS.logBytes })
}

/** The first node alone and beside others that do nothing, in another order each time. */
async function compareIdle({ node }: Loaded): Promise<void> {
  const beside: number[] = []
  const alone: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const isIdle of round % 2 === 0 ? [true, false] : [false, true]) {
      for (const other of nodes.slice(1)) {
        // A node that is stopped does nothing at all.
        other.node.process.child.kill(isIdle ? 'SIGCONT' : 'SIGSTOP')
        if (isIdle) await untilIdle(other.node.pid)
      }
      const rate = await load(nodes.slice(0, 1))
      if (isIdle) beside.push(rate)
      else alone.push(rate)
    }
  }
  for (const other of nodes.slice(1)) other.node.process.child.kill('SIGCONT')
  await untilIdle(node.pid)
  const ratio = median(beside.map((rate, round) => rate / (alone[round] ?? Number.NaN)))
  printFigure(`beside ${NODES - 1} idle nodes against alone`, ratio, { atLeast: GOALS.beside })
}

async function load(loaded: readonly Loaded[]): Promise<number> {
  const results = await Promise.all(
    loaded.map(({ node, inboxes }) => {
      const { httpUrl, apiKey, smtpPort } = node
      return sendMails({ httpUrl, apiKey, smtpPort, smtpHost: '127.0.0.1' }, inboxes, SECONDS)
    }),
  )
  const errors = results.reduce((sum, result) => sum + result.errors, 0)
  if (errors > 0) throw new Error(`${errors} mails were refused`)
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0)
}

/** Bytes that the server has written to its write-ahead log so far. */
async function logPosition(): Promise<number> {
  const { rows } = await connected(databaseUrl, (client) =>
    client.query<{ readonly bytes: string }>("select pg_current_wal_lsn() - '0/0' as bytes"),
  )
  return Number(rows[0]?.bytes)
}
