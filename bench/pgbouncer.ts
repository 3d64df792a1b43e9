// Durable ingest through PgBouncer in transaction mode against a direct connection: nodes on one
// database, in turns. A third node has a direct connection, too, but prepares no statements, as
// behind PgBouncer: it tells what of the difference is PgBouncer's own.
//
//   node bench/pgbouncer.ts [--rounds=8]

import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { limitSessions, startPgBouncer } from '../packages/server/test/testing-pgbouncer.ts'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { processorTime, stolenPercent } from '../packages/server/test/testing-processor-time.ts'
import { startMayfly } from './contenders/mayfly.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const ROUNDS = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 8)
const LOAD = { connections: 20, mails: 3_000, sizeBytes: 4_000, isReused: true } as const

/** Time for a node to do what follows a load, so that the next one has the machine alone. */
const SETTLE_MS = 3_000
const GOAL = 0.9

await using server = await startPostgres({})
await using database = await createDatabase(server.url)
await using pooler = await startPgBouncer(database.url)
await limitSessions(database.url)

// With a direct URL beside its own, a node expects a pooler and prepares no statements.
const expectsPooler = { MAYFLY_DATABASE_DIRECT_URL: database.url }
const start = (letter: string, url: string, env: Readonly<Record<string, string>> = {}) =>
  startMayfly({
    name: `node ${letter}`,
    database: { url, [Symbol.asyncDispose]: async () => {} },
    env,
    inboxes: LOAD.mails,
    letter,
  })
await using direct = await start('b', database.url)
await using pooled = await start('c', pooler.url, expectsPooler)
await using unprepared = await start('d', database.url, expectsPooler)

const rateOf = async ({ port }: { readonly port: number }, letter: string) => {
  const rate = await runSmtpSource({ ...LOAD, port, recipient: `${letter}@mayfly.test` })
  await setTimeout(SETTLE_MS)
  return rate
}
const measure = async () => ({
  direct: await rateOf(direct, 'b'),
  pooled: await rateOf(pooled, 'c'),
  unprepared: await rateOf(unprepared, 'd'),
})
// The first mails of a process take longer.
await measure()
const before = processorTime()
const rounds: Awaited<ReturnType<typeof measure>>[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await measure())
const ratio = median(rounds.map((round) => round.pooled / round.direct))
console.log(
  `load average ${loadavg()[0]?.toFixed(1)}, stolen ${stolenPercent(before).toFixed(0)} %`,
)
console.log(`direct: ${shown(rounds.map((round) => round.direct))} mails/s`)
console.log(`through PgBouncer: ${shown(rounds.map((round) => round.pooled))} mails/s`)
console.log(
  `direct, not prepared: ${shown(rounds.map((round) => round.unprepared))} mails/s, ${median(rounds.map((round) => round.unprepared / round.direct)).toFixed(2)} of direct`,
)
console.log(
  `through PgBouncer against direct, median of ${ROUNDS} rounds: ${ratio.toFixed(2)} (goal ${GOAL}: ${ratio >= GOAL ? 'reached' : 'MISSED'})`,
)

function shown(values: readonly number[]): string {
  const [least = 0, most = 0] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
