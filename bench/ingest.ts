// Durable ingest through the whole service as its own process, beside other mail catchers, all
// under the same commands of Postfix's smtp-source, in turns.
//
//   node bench/ingest.ts [--rounds=7]       Mayfly on SQLite and PostgreSQL beside the others
//   node bench/ingest.ts --sustained        the same with six times as many mails in a round, so
//                                           that Mayfly cannot leave most of them to store later
//   node bench/ingest.ts --profile          Mayfly alone, CPU profiles into .cache/
//
// A sender is acknowledged when its mail is durable, or held, as each contender sees it. Mayfly on
// SQLite may parse and commit it after that; the rate until then is told apart, and the processor
// time a mail includes it.
//
// An inbox holds 1,000 messages, so each mail has a recipient of its own (`-N`), for everybody.
// On a busy machine the processor time a mail is the figure that holds still, not the rate.

import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { processorTime, stolenPercent } from '../packages/server/test/testing-processor-time.ts'
import type { Contender } from './contenders/contender.ts'
import { startInbucket } from './contenders/inbucket.ts'
import { startMailHog } from './contenders/mailhog.ts'
import { startMailpit } from './contenders/mailpit.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { startSmtpSink } from './contenders/smtp-sink.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { type Load, runSmtpSource, smtpSourceArgs } from './load/smtp-source.ts'

const mails = process.argv.includes('--sustained') ? 30_000 : 5_000
const REUSED = { connections: 20, mails, sizeBytes: 4000, isReused: true } as const
const FRESH = { ...REUSED, isReused: false } as const

/** smtp-server waits 100 ms before each greeting: all of 5,000 mails would take half a minute. */
const SLOW_GREETER_MAILS = 500

/**
 * Runs of each load, in which the contenders take turns. The figure is the best of each: the one
 * in which the rest of the machine disturbed least. The median is told beside it.
 */
const ROUNDS = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 7)

/**
 * A contender that used less than that in each of some times is idle. Mayfly waits for a second
 * without mail before it checks senders.
 */
const SETTLE_MS = 500
const SETTLED_US = 25_000
const SETTLED_TIMES = 5

/** Mayfly against the fastest of the others, and PostgreSQL against SQLite. */
const GOALS = { others: 1.25, postgres: 0.5 }

const PROFILE_ARGS = ['--cpu-prof', '--cpu-prof-dir=.cache/profiles']

/** Mails a second until the last is acknowledged and until all can be read, and CPU a mail. */
type Figures = {
  readonly rates: number[]
  readonly storedRates: number[]
  readonly cpuUs: number[]
}

if (process.argv.includes('--profile')) await profile()
else await compare()

async function compare(): Promise<void> {
  await using mayfly = await startMayfly({
    name: 'Mayfly, SQLite, synced',
    inboxes: REUSED.mails,
  })
  await using postgres = await startPostgres({})
  await using onPostgres = await startMayfly({
    name: 'Mayfly, PostgreSQL, synced',
    database: await createDatabase(postgres.url),
    inboxes: REUSED.mails,
  })
  await using mailhog = await startMailHog()
  await using inbucket = await startInbucket()
  await using mailpit = await startMailpit()
  await using sink = await startSmtpSink()
  const others = [mailhog, inbucket, mailpit]
  for (const load of [REUSED, FRESH]) {
    const found = await measure([mayfly, onPostgres, ...others, sink], load)
    const best = (one: Contender) => Math.max(...(found.get(one)?.rates ?? [0]))
    const fastest = Math.max(...others.map(best))
    ratio('SQLite against the fastest of the others', best(mayfly) / fastest, GOALS.others)
    const stored = Math.max(...(found.get(mayfly)?.storedRates ?? [0])) / fastest
    print(`  the same, until everything is stored: ${stored.toFixed(2)}`)
    ratio('PostgreSQL against SQLite', best(onPostgres) / best(mayfly), GOALS.postgres)
  }
}

async function profile(): Promise<void> {
  await using mayfly = await startMayfly({
    name: 'Mayfly, SQLite, synced',
    inboxes: REUSED.mails,
    nodeArgs: PROFILE_ARGS,
  })
  await measure([mayfly], REUSED)
}

async function measure(
  contenders: readonly Contender[],
  load: Omit<Load, 'port' | 'recipient'>,
): Promise<ReadonlyMap<Contender, Figures>> {
  const command = smtpSourceArgs({ ...load, recipient: RECIPIENT }).join(' ')
  const found = new Map(
    contenders.map((one): [Contender, Figures] => [one, { rates: [], storedRates: [], cpuUs: [] }]),
  )
  const before = processorTime()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contender, figures] of found) {
      const isSlow = !load.isReused && contender.name.startsWith('smtp-server')
      const mails = isSlow ? SLOW_GREETER_MAILS : load.mails
      const startedUs = cpuTimeUs(contender.pid)
      const rate = await runSmtpSource({ ...load, mails, ...contender, recipient: RECIPIENT })
      figures.rates.push(rate)
      const acknowledgedAt = performance.now()
      await contender.stored?.()
      const laterSeconds = (performance.now() - acknowledgedAt) / 1000
      figures.storedRates.push(mails / (mails / rate + laterSeconds))
      figures.cpuUs.push((cpuTimeUs(contender.pid) - startedUs) / mails)
      await settled(contender)
    }
  }
  print(`\nsmtp-source ${command}`)
  print(`load average ${loadavg()[0]?.toFixed(1)}, stolen ${stolenPercent(before).toFixed(0)} %`)
  print(`  ${''.padEnd(36)}    best   median   until stored   CPU a mail`)
  for (const [{ name }, { rates, storedRates, cpuUs }] of found) {
    const [best, middle, stored] = [Math.max(...rates), median(rates), median(storedRates)].map(
      (rate) => `${rate.toFixed(0)}/s`.padStart(8),
    )
    const cpu = `${median(cpuUs).toFixed(0)} µs`.padStart(11)
    print(`  ${name.padEnd(36)}${best} ${middle}       ${stored}  ${cpu}`)
  }
  return found
}

/** Waits until a contender is idle, so that the next one has the machine alone. */
async function settled({ pid }: Contender): Promise<void> {
  for (let idleTimes = 0; idleTimes < SETTLED_TIMES; ) {
    const startedUs = cpuTimeUs(pid)
    await setTimeout(SETTLE_MS)
    idleTimes = cpuTimeUs(pid) - startedUs < SETTLED_US ? idleTimes + 1 : 0
  }
}

function ratio(name: string, found: number, goal: number): void {
  const verdict = found >= goal ? 'reached' : 'MISSED'
  print(`  ${name}: ${found.toFixed(2)} (goal ${goal}: ${verdict})`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
