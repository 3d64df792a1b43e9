// Durable ingest through the whole service as its own process, beside other mail catchers, all
// under the same commands of Postfix's smtp-source, in turns.
//
//   node bench/ingest.ts [--rounds=7]       Mayfly on SQLite and PostgreSQL beside the others
//   node bench/ingest.ts --profile          Mayfly alone, CPU profiles into .cache/
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

const REUSED = { connections: 20, mails: 5000, sizeBytes: 4000, isReused: true } as const
const FRESH = { ...REUSED, isReused: false } as const

/** smtp-server waits 100 ms before each greeting: all of 5,000 mails would take half a minute. */
const SLOW_GREETER_MAILS = 500

/**
 * Runs of each load, in which the contenders take turns. The figure is the best of each: the one
 * in which the rest of the machine disturbed least. The median is told beside it.
 */
const ROUNDS = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 7)

/** A contender that used less than that in this time is idle. */
const SETTLE_MS = 500
const SETTLED_US = 25_000

/** Mayfly against the fastest of the others, and PostgreSQL against SQLite. */
const GOALS = { others: 1.25, postgres: 0.5 }

const PROFILE_ARGS = ['--cpu-prof', '--cpu-prof-dir=.cache/profiles']

type Figures = { readonly rates: readonly number[]; readonly cpuUs: readonly number[] }

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
  const rates = new Map(contenders.map((one): [Contender, number[]] => [one, []]))
  const cpuUs = new Map(contenders.map((one): [Contender, number[]] => [one, []]))
  const before = processorTime()
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) {
      const isSlow = !load.isReused && contender.name.startsWith('smtp-server')
      const mails = isSlow ? SLOW_GREETER_MAILS : load.mails
      const startedUs = cpuTimeUs(contender.pid)
      const rate = await runSmtpSource({ ...load, mails, ...contender, recipient: RECIPIENT })
      rates.get(contender)?.push(rate)
      cpuUs.get(contender)?.push((cpuTimeUs(contender.pid) - startedUs) / mails)
      await settled(contender)
    }
  }
  print(`\nsmtp-source ${command}`)
  print(`load average ${loadavg()[0]?.toFixed(1)}, stolen ${stolenPercent(before).toFixed(0)} %`)
  print(`  ${''.padEnd(36)}    best   median   CPU a mail`)
  for (const contender of contenders) {
    const found = rates.get(contender) ?? []
    const [best, middle] = [Math.max(...found), median(found)].map((rate) => rate.toFixed(0))
    const cpu = median(cpuUs.get(contender) ?? []).toFixed(0)
    print(
      `  ${contender.name.padEnd(36)} ${best?.padStart(6)}/s ${middle?.padStart(6)}/s ${cpu.padStart(6)} µs`,
    )
  }
  return new Map(
    contenders.map((one) => [one, { rates: rates.get(one) ?? [], cpuUs: cpuUs.get(one) ?? [] }]),
  )
}

/** Waits until a contender is idle, so that the next one has the machine alone. */
async function settled({ pid }: Contender): Promise<void> {
  for (let usedUs = SETTLED_US; usedUs >= SETTLED_US; ) {
    const startedUs = cpuTimeUs(pid)
    await setTimeout(SETTLE_MS)
    usedUs = cpuTimeUs(pid) - startedUs
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
