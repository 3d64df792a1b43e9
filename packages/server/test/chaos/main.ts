// Faults under load, by seed.
//
//   npm run chaos -- [--seeds 1..50] [--seconds 120] [--nodes 3] [--verbose]
//   npm run chaos -- --seeds 1..50 --continue    leaves out the seeds that are done
//   npm run chaos -- --failover                  a standby takes over, synchronous and not
//
// Prints a line for each seed, and each violation; the exit status is 1 when there is one. The
// results, and the histories with violations, are in .cache/chaos. SIGINT and SIGTERM end it after
// the seed in progress.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadEmbeddedPostgres } from '../testing-postgres.ts'
import { processorTime } from '../testing-processor-time.ts'
import { runFailover } from './failover.ts'
import { addResult, describeResult, readResults, resultOf, seedsOf } from './results.ts'
import { type RunResult, runChaos } from './run.ts'

const FOLDER = '.cache/chaos'
const RESULTS = join(FOLDER, 'results.jsonl')

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    nodes: { type: 'string', default: '3' },
    verbose: { type: 'boolean', default: false },
    continue: { type: 'boolean', default: false },
    failover: { type: 'boolean', default: false },
    'recovery-ms': { type: 'string', default: '5000' },
  },
})
const log = (line: string) => process.stdout.write(`${line}\n`)
let isStopping = false

if (values.failover) await failOver()
else await runSeeds(seedsOf(values.seeds))

async function failOver(): Promise<void> {
  for (const isSynchronous of [true, false]) {
    const { acknowledged, lost, outageMs } = await runFailover(isSynchronous)
    const kind = isSynchronous ? 'synchronous' : 'asynchronous'
    log(`${kind} standby: ${acknowledged} acknowledged, ${lost} lost, ${outageMs} ms without a 250`)
    if (isSynchronous && lost > 0) process.exitCode = 1
  }
}

/** Instead of the listeners of the package, which end the process before disks are unmounted. */
async function listenToSignals(): Promise<void> {
  await loadEmbeddedPostgres()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.removeAllListeners(signal).on(signal, () => {
      isStopping = true
    })
  }
}

async function runSeeds(seeds: readonly number[]): Promise<void> {
  await listenToSignals()
  mkdirSync(FOLDER, { recursive: true })
  if (!values.continue) rmSync(RESULTS, { force: true })
  const done = new Set(readResults(RESULTS).map(({ seed }) => seed))
  for (const seed of seeds) if (!done.has(seed) && !isStopping) await runSeed(seed)
  const results = readResults(RESULTS).filter(({ seed }) => seeds.includes(seed))
  const failed = results.filter(({ violations }) => violations.length > 0)
  const recoveryMs = Math.max(
    0,
    ...results.map((one) => one.recoveryMs ?? Number.POSITIVE_INFINITY),
  )
  log(
    `${results.length} of ${seeds.length} seeds, ${failed.length} with violations; accepting again within ${recoveryMs} ms`,
  )
  if (failed.length > 0) process.exitCode = 1
}

async function runSeed(seed: number): Promise<void> {
  const startedAt = performance.now()
  const before = processorTime()
  const run = await runOrBreakOff(seed)
  if (run === null) return
  const time = { tookMs: performance.now() - startedAt, before, after: processorTime() }
  const result = resultOf(seed, run, time)
  addResult(RESULTS, result)
  log(describeResult(result))
  for (const { kind, detail } of result.violations) log(`  ${kind}: ${detail}`)
  if (result.violations.length === 0) return
  const file = join(FOLDER, `history-${seed}.json`)
  writeFileSync(file, JSON.stringify(run.history, null, 1))
  log(`  the history is in ${file}`)
}

/** A run that breaks off has no result: the next seeds are run, and `--continue` runs it again. */
async function runOrBreakOff(seed: number): Promise<RunResult | null> {
  try {
    return await runChaos({
      seed,
      durationMs: Number(values.seconds) * 1_000,
      nodes: Number(values.nodes),
      holdMsMax: 6_000,
      recoveryMsMax: Number(values['recovery-ms']),
      log: values.verbose ? log : () => {},
    })
  } catch (error) {
    log(`seed ${seed} broke off: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
    return null
  }
}
