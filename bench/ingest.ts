// Durable ingest through the whole service as its own process, beside MailHog (memory) and a bare
// smtp-server (nothing stored), all under the same commands of Postfix's smtp-source.
//
//   node_modules/.bin/node bench/ingest.ts              all contenders
//   node_modules/.bin/node bench/ingest.ts --profile    Mayfly alone, CPU profiles into .cache/
//
// An inbox holds 1,000 messages, so each mail has a recipient of its own (`-N`), for everybody.

import { loadavg } from 'node:os'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import type { Contender } from './contenders/contender.ts'
import { startMailHog } from './contenders/mailhog.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { startSmtpSink } from './contenders/smtp-sink.ts'
import { type Load, runSmtpSource, smtpSourceArgs } from './load/smtp-source.ts'

const REUSED = { connections: 20, mails: 5000, sizeBytes: 4000, isReused: true } as const
const FRESH = { ...REUSED, isReused: false } as const

/** smtp-server waits 100 ms before each greeting: all of 5,000 mails would take half a minute. */
const SLOW_GREETER_MAILS = 500

/**
 * Runs of each load, in which the contenders take turns. The figure is the best of each: the one
 * in which the rest of the machine disturbed least. The median is told beside it.
 */
const ROUNDS = 7

const PROFILE_ARGS = ['--cpu-prof', '--cpu-prof-dir=.cache/profiles']

if (process.argv.includes('--profile')) await profile()
else await compare()

async function compare(): Promise<void> {
  await using mayfly = await startMayfly({ name: 'Mayfly on SQLite', inboxes: REUSED.mails })
  await using mailhog = await startMailHog()
  await using sink = await startSmtpSink()
  const contenders = [mayfly, mailhog, sink]
  const reused = await measure(contenders, REUSED)
  const fresh = await measure(contenders, FRESH)
  ratio('reused, against MailHog', reused, { of: [mayfly, mailhog], goal: 2 })
  ratio('reused, against the smtp-server sink', reused, { of: [mayfly, sink], goal: 1 })
  ratio('one connection a mail, against MailHog', fresh, { of: [mayfly, mailhog], goal: 1.5 })
  await mayfly[Symbol.asyncDispose]()
  await onPostgres()
}

/** For information: with PostgreSQL on the same two cores. */
async function onPostgres(): Promise<void> {
  await using postgres = await startPostgres({})
  const database = await createDatabase(postgres.url)
  await using mayfly = await startMayfly({
    name: 'Mayfly on PostgreSQL',
    database,
    inboxes: REUSED.mails,
  })
  await measure([mayfly], REUSED)
  await measure([mayfly], FRESH)
}

async function profile(): Promise<void> {
  await using mayfly = await startMayfly({
    name: 'Mayfly on SQLite',
    inboxes: REUSED.mails,
    nodeArgs: PROFILE_ARGS,
  })
  await measure([mayfly], REUSED)
}

async function measure(
  contenders: readonly Contender[],
  load: Omit<Load, 'port' | 'recipient'>,
): Promise<ReadonlyMap<Contender, number>> {
  const command = smtpSourceArgs({ ...load, recipient: RECIPIENT }).join(' ')
  print(`\nsmtp-source ${command}   (load average ${loadavg()[0]?.toFixed(1)})`)
  const rates = new Map(contenders.map((one): [Contender, number[]] => [one, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contender, found] of rates) {
      const isSlow = !load.isReused && contender.name.startsWith('smtp-server')
      const mails = isSlow ? SLOW_GREETER_MAILS : load.mails
      found.push(await runSmtpSource({ ...load, mails, ...contender, recipient: RECIPIENT }))
    }
  }
  for (const [{ name }, found] of rates) {
    const all = found.map((rate) => rate.toFixed(0)).join(' ')
    const best = Math.max(...found).toFixed(0)
    const middle = median(found).toFixed(0)
    print(`  ${name.padEnd(22)} ${best.padStart(6)} mails/s, median ${middle}   (${all})`)
  }
  return new Map([...rates].map(([contender, found]) => [contender, Math.max(...found)]))
}

function ratio(
  name: string,
  rates: ReadonlyMap<Contender, number>,
  { of: [ours, theirs], goal }: { of: readonly [Contender, Contender]; goal: number },
): void {
  const found = (rates.get(ours) ?? 0) / (rates.get(theirs) ?? 1)
  const verdict = found >= goal ? 'reached' : 'MISSED'
  print(`${name}: ${found.toFixed(2)} (goal ${goal}: ${verdict})`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
