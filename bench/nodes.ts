// What idle nodes cost a busy one on the same PostgreSQL: mails a second of one node alone and
// beside three that do nothing, in turns. And how much a mail of 4 KB adds to the write-ahead log.
//
//   node bench/nodes.ts [--rounds=6] [--mails=5000]     needs smtp-source

import {
  connected,
  createDatabase,
  startPostgres,
} from '../packages/server/test/testing-postgres.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { untilIdle } from './load/process.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'
import { startService } from './load/service.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const ROUNDS = option('rounds', 6)
const MAILS = option('mails', 5_000)
const WARM_UP_ROUNDS = 1
const IDLE_NODES = 3

using _machine = watchMachine()
await using postgres = await startPostgres({})
await using database = await createDatabase(postgres.url)
const databaseUrl = database.url
await using busy = await startMayfly({ name: 'busy', inboxes: MAILS, databaseUrl })
const ratios: number[] = []
const logBytes: number[] = []
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
  // In another order each time: a store that grows, or a machine that gets busy, must not count.
  const first = await measure(round % 2 === 0 ? 0 : IDLE_NODES)
  const second = await measure(round % 2 === 0 ? IDLE_NODES : 0)
  const [alone, beside] = round % 2 === 0 ? [first, second] : [second, first]
  if (round < 0) continue
  ratios.push(beside.rate / alone.rate)
  logBytes.push(alone.logBytes)
  console.log(`  alone ${alone.rate.toFixed(0)}/s, beside idle nodes ${beside.rate.toFixed(0)}/s`)
}
await busy.verify(2 * (WARM_UP_ROUNDS + ROUNDS) * MAILS)
printFigure(`beside ${IDLE_NODES} idle nodes against alone`, median(ratios), { atLeast: 0.95 })
printFigure('bytes of write-ahead log a mail', median(logBytes), { atMost: 5_000 })

/** Mails a second of the busy node while so many others are idle; and the log that a mail takes. */
async function measure(idleNodes: number) {
  await using resources = new AsyncDisposableStack()
  for (let node = 0; node < idleNodes; node += 1) {
    const { pid } = resources.use(await startService({ databaseUrl }))
    await untilIdle(pid)
  }
  const before = await logPosition()
  const load = { connections: 20, mails: MAILS, sizeBytes: 4_000, isReused: true }
  const rate = await runSmtpSource({ ...load, port: busy.port, recipient: RECIPIENT })
  await untilIdle(busy.pid)
  return { rate, logBytes: ((await logPosition()) - before) / MAILS }
}

/** Bytes that the server has written to its write-ahead log so far. */
async function logPosition(): Promise<number> {
  const { rows } = await connected(databaseUrl, (client) =>
    client.query<{ readonly bytes: string }>("select pg_current_wal_lsn() - '0/0' as bytes"),
  )
  return Number(rows[0]?.bytes)
}
