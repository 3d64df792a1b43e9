// How fast mail is received until it can be read, which is its `250`: Mayfly on SQLite and on
// PostgreSQL beside other mail catchers, in turns, under the same commands of smtp-source.
//
//   node bench/ingest.ts [--rounds=7] [--mails=5000]     needs smtp-source and go
//
// An inbox holds 1,000 messages, so each mail has a recipient of its own (`-N`), for everybody. In
// the end Mayfly's API must know every mail that was acknowledged.

import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import type { Contender } from './contenders/contender.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { startInbucket, startMailHog, startMailpit } from './contenders/others.ts'
import { cpuTimeUs, untilIdle } from './load/process.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'
import { type Load, runSmtpSource, smtpSourceArgs } from './load/smtp-source.ts'

const ROUNDS = option('rounds', 7)
const MAILS = option('mails', 5_000)

/** Loads; Mayfly on SQLite should have so many times the rate of the fastest, and of Mailpit. */
const LOADS = [
  { connections: 20, isReused: true, fastest: 1, mailpit: 2 },
  { connections: 100, isReused: true, fastest: 1.1, mailpit: 2 },
  { connections: 20, isReused: false, fastest: 1, mailpit: 1.5 },
] as const

/** PostgreSQL against SQLite. */
const POSTGRES_GOAL = 0.4

/** Mails a second, and processor time a mail, of each round. */
type Figures = { readonly rates: number[]; readonly cpuUs: number[] }

using _machine = watchMachine()
await using postgres = await startPostgres({})
await using database = await createDatabase(postgres.url)
const inboxes = MAILS
await using mayfly = await startMayfly({ name: 'Mayfly, SQLite, synced', inboxes })
await using onPostgres = await startMayfly({
  ...{ name: 'Mayfly, PostgreSQL, synced', inboxes, databaseUrl: database.url },
})
await using mailhog = await startMailHog()
await using inbucket = await startInbucket()
await using mailpit = await startMailpit()
const others = [mailhog, inbucket, mailpit]

for (const { fastest, mailpit: ofMailpit, ...connections } of LOADS) {
  const load = { ...connections, mails: MAILS, sizeBytes: 4_000, recipient: RECIPIENT }
  const found = await measure([mayfly, onPostgres, ...others], load)
  for (const [by, of] of [
    ['best rounds', best],
    ['medians', median],
  ] as const) {
    const rate = (one: Contender) => of(found.get(one)?.rates ?? [])
    const rateOfFastest = Math.max(...others.map(rate))
    printFigure(`against the fastest, ${by}`, rate(mayfly) / rateOfFastest, { atLeast: fastest })
    printFigure(`against Mailpit, ${by}`, rate(mayfly) / rate(mailpit), { atLeast: ofMailpit })
    const share = rate(onPostgres) / rate(mayfly)
    printFigure(`PostgreSQL against SQLite, ${by}`, share, { atLeast: POSTGRES_GOAL })
  }
}
for (const one of [mayfly, onPostgres]) await one.verify(LOADS.length * ROUNDS * MAILS)

async function measure(
  contenders: readonly Contender[],
  load: Omit<Load, 'port'>,
): Promise<ReadonlyMap<Contender, Figures>> {
  const found = new Map(contenders.map((one): [Contender, Figures] => [one, newFigures()]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [contender, { rates, cpuUs }] of found) {
      const startedUs = cpuTimeUs(contender.pid)
      rates.push(await runSmtpSource({ ...load, port: contender.port }))
      await untilIdle(contender.pid)
      cpuUs.push((cpuTimeUs(contender.pid) - startedUs) / load.mails)
    }
  }
  console.log(`\nsmtp-source ${smtpSourceArgs(load).join(' ')}`)
  console.log(`  ${''.padEnd(36)}    best   median   CPU a mail`)
  for (const [{ name }, { rates, cpuUs }] of found) {
    const [most, middle] = [best(rates), median(rates)].map((one) => `${one.toFixed(0)}/s`)
    const cpu = `${median(cpuUs).toFixed(0)} µs`
    const columns = [most?.padStart(8), middle?.padStart(8), cpu.padStart(12)]
    console.log(`  ${name.padEnd(36)}${columns.join(' ')}`)
  }
  return found
}

function newFigures(): Figures {
  return { rates: [], cpuUs: [] }
}

/** The round in which the rest of the machine disturbed least. */
function best(rates: readonly number[]): number {
  return Math.max(...rates)
}
