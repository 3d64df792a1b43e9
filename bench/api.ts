// What finding the caller, counting usage and limiting the rate cost a request.
//
//   node bench/api.ts [ROUNDS]
//
// An empty Fastify route, with more and more of the guards before it, on SQLite and PostgreSQL.
// Load comes from wrk. The figure is processor time a request: it stays the same when the machine
// is busy otherwise, and says what a node can take. Rates are shown beside it. The best of some
// rounds counts, and the rounds are interleaved.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../packages/server/test/testing-postgres.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { runWrk } from './load/wrk.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = 2
const CONNECTIONS = 32
const ROUTE = fileURLToPath(new URL('./load/guarded-route.ts', import.meta.url))

type Stage = { readonly name: string; readonly url: string; readonly guards: readonly string[] }
type Running = Stage & {
  readonly child: ChildProcess
  readonly port: number
  readonly apiKey: string
}

const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-'))
await using postgres = await startPostgres({})
const sqlite = `sqlite:${join(folder, 'mayfly.db')}`
const stages: readonly Stage[] = [
  { name: 'an empty route', url: sqlite, guards: [] },
  ...guardedStages('SQLite', sqlite),
  ...guardedStages('PostgreSQL', postgres.url),
]
const running: Running[] = []
for (const stage of stages) running.push(await start(stage))
const best = new Map<string, { readonly cpuUs: number; readonly perSecond: number }>()
try {
  for (let round = 0; round < ROUNDS; round++) for (const route of running) await measure(route)
} finally {
  for (const { child } of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
report()

async function measure({ name, port, apiKey, child }: Running): Promise<void> {
  const load = { apiKey, connections: CONNECTIONS, seconds: SECONDS }
  const before = cpuTimeUs(child.pid)
  const { requests, perSecond } = await runWrk(`http://127.0.0.1:${port}/empty`, load)
  const cpuUs = (cpuTimeUs(child.pid) - before) / requests
  const earlier = best.get(name)
  best.set(name, {
    cpuUs: Math.min(earlier?.cpuUs ?? Number.POSITIVE_INFINITY, cpuUs),
    perSecond: Math.max(earlier?.perSecond ?? 0, perSecond),
  })
}

function guardedStages(database: string, url: string): readonly Stage[] {
  const guards = ['key', 'usage', 'rate']
  return guards.map((guard, index) => ({
    name: `${index === 0 ? '' : '+ '}${guard}, ${database}`,
    url,
    guards: guards.slice(0, index + 1),
  }))
}

async function start(stage: Stage): Promise<Running> {
  const child = spawn(process.execPath, [ROUTE, stage.url, ...stage.guards], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { ...stage, child, ...JSON.parse(String(line)) }
}

function report(): void {
  const empty = best.get('an empty route')?.cpuUs ?? Number.NaN
  for (const [name, { cpuUs, perSecond }] of best) {
    const columns = [
      name.padEnd(20),
      `${cpuUs.toFixed(0)} µs of CPU`.padStart(14),
      `${(cpuUs - empty).toFixed(0)} more`.padStart(9),
      `${(cpuUs / empty).toFixed(1)} ×`.padStart(7),
      `${Math.round(perSecond)}/s`.padStart(9),
    ]
    console.log(columns.join('  '))
  }
}
