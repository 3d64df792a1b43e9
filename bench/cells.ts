// Whether cells add up: mails and answered waits a second of one cell, and of several, each with
// the same shares of a core, the same load, all through HAProxy. What the proxy costs. What a cell
// notices of one that is killed or frozen. How long an account takes to move.
//
//   node bench/cells.ts [--cells=4] [--rounds=3] [--seconds=15] [--share=0.15] [--clients=8]
//                       [--move=10000]            needs root and cgroups

import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openOperator, parseConfig } from '@mayfly/server'
import { type BenchCell, type BenchCells, startCells } from './load/cells.ts'
import { answerWaits, type LoadResult, type LoadTarget, sendMails } from './load/loops.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'
import { createInboxes, type Inbox } from './load/service.ts'

const CELLS = option('cells', 4)
const ROUNDS = option('rounds', 3)
const SECONDS = option('seconds', 15)
const SHARE = option('share', 0.15)
const CLIENTS = option('clients', 8)
const MOVED = option('move', 10_000)
const GOALS = { sum: 3.2, proxy: 1.3, beside: 1.5, moveSeconds: 60 }

type Loaded = { readonly cell: BenchCell; readonly inboxes: readonly Inbox[] }

using _machine = watchMachine()
await using running = await startCells(CELLS, { node: SHARE, postgres: SHARE })
const all: Loaded[] = []
for (const cell of running.cells)
  all.push({ cell, inboxes: await createInboxes(cell.node, CLIENTS) })
const [first] = all
const last = all.at(-1)
if (first === undefined || last === undefined || CELLS < 2) throw new Error('--cells is 2 or more')
await compareSums()
await measureProxy(first)
await move(first.cell, last.cell)
await breakCells(first, last)

/** Mails and waits a second of one cell and of all, in turns. */
async function compareSums(): Promise<void> {
  // A node is slow until its code is compiled.
  await loadAll(running, all, sendMails)
  for (const [name, load] of Object.entries({ mails: sendMails, 'waits answered': answerWaits })) {
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = sumOf(await loadAll(running, all.slice(0, 1), load))
      const sum = sumOf(await loadAll(running, all, load))
      console.log(`  ${name} a second: ${one.toFixed(0)}, ${CELLS} cells ${sum.toFixed(0)}`)
      ratios.push(sum / one)
    }
    const goal = (GOALS.sum * CELLS) / 4
    printFigure(`${name}, ${CELLS} cells against 1`, median(ratios), { atLeast: goal })
  }
}

function loadAll(
  { host }: BenchCells,
  loaded: readonly Loaded[],
  load: typeof sendMails,
): Promise<readonly LoadResult[]> {
  return Promise.all(
    loaded.map(({ cell, inboxes }) => load({ ...cell.proxied, smtpHost: host }, inboxes, SECONDS)),
  )
}

function sumOf(results: readonly LoadResult[]): number {
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0)
}

/** Mail to answer by the proxy against the node itself, one at a time, in turns. */
async function measureProxy({ cell, inboxes }: Loaded): Promise<void> {
  const { httpUrl, apiKey } = cell.node
  const { hostname: smtpHost } = new URL(httpUrl)
  const direct: LoadTarget = { httpUrl, apiKey, smtpHost, smtpPort: 1025 }
  const proxied: LoadTarget = { ...cell.proxied, smtpHost: running.host }
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const past = await answerWaits(direct, inboxes.slice(0, 1), SECONDS)
    const through = await answerWaits(proxied, inboxes.slice(0, 1), SECONDS)
    console.log(
      `  mail to answer: ${past.ms.p50.toFixed(1)} ms, proxy ${through.ms.p50.toFixed(1)}`,
    )
    ratios.push(through.ms.p50 / past.ms.p50)
  }
  printFigure('mail to answer by the proxy', median(ratios), { atMost: GOALS.proxy })
}

/** Moves the account of a cell with many messages to another one, with the operator's commands. */
async function move(from: BenchCell, to: BenchCell): Promise<void> {
  const [inbox] = await createInboxes(from.node, 1)
  if (inbox === undefined) throw new Error('no inbox')
  const { hostname: smtpHost } = new URL(from.node.httpUrl)
  const target = { ...from.proxied, smtpHost, smtpPort: 1025 }
  let stored = 0
  while (stored < MOVED) {
    const { perSecond } = await sendMails(target, Array(CLIENTS).fill(inbox), SECONDS)
    stored += Math.round(perSecond * SECONDS)
  }
  const { body } = await from.node.api.get('/v1/account')
  await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-bench-move-'))
  const path = join(folder.path, 'account')
  await using source = await openOperator(parseConfig(from.settings))
  await using goal = await openOperator(parseConfig(to.settings))
  const startedAt = performance.now()
  await source.exportAccount({ account: body.account.email, to: to.name, path })
  const { counts } = await goal.importAccount(path)
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`  ${counts['message']} messages moved`)
  printFigure(`seconds for ${MOVED} messages`, (seconds * MOVED) / (counts['message'] ?? 1), {
    atMost: GOALS.moveSeconds,
  })
  await source.resume(body.account.email)
  await goal.purge(body.account.email)
}

/** What one cell notices while the last one is frozen, and then killed. */
async function breakCells(watched: Loaded, { cell: { node } }: Loaded): Promise<void> {
  const measure = async () => {
    const [result] = await loadAll(running, [watched], answerWaits)
    if (result === undefined) throw new Error('no load')
    return result
  }
  const before = await measure()
  const kinds = { frozen: 'SIGSTOP', killed: 'SIGKILL' } as const
  for (const [name, signal] of Object.entries(kinds)) {
    node.process.child.kill(signal)
    const { ms, errors } = await measure()
    printFigure(`errors beside a cell that is ${name}`, errors, { atMost: 0 })
    printFigure('p99 against before', ms.p99 / before.ms.p99, { atMost: GOALS.beside })
  }
}
