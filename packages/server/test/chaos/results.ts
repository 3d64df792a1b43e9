// What came of each seed, kept in a file: a long run may be made in pieces.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { ProcessorTime } from '../testing-processor-time.ts'
import type { Violation } from './checker.ts'
import type { History } from './history.ts'

/** What came of one seed. */
export type SeedResult = {
  readonly seed: number
  readonly faults: number
  readonly violations: readonly Violation[]
  /** The longest time from the end of a fault until its nodes accepted mail again; null: never. */
  readonly recoveryMs: number | null
  /** Processes that ended by themselves. */
  readonly exits: number
  readonly mails: number
  readonly waits: number
  readonly events: number
  readonly tookMs: number
  /** Processor time of everything that the run started. */
  readonly cpuMs: number
  /** How busy the machine was, other programs and the host included. */
  readonly busyPercent: number
  readonly stolenPercent: number
}

/** The result of a run, from what it returned and the times around it. */
export function resultOf(
  seed: number,
  run: {
    readonly history: History
    readonly violations: readonly Violation[]
    readonly recoveryMs: number
  },
  time: { readonly tookMs: number; readonly before: ProcessorTime; readonly after: ProcessorTime },
): SeedResult {
  const { history, violations, recoveryMs } = run
  const { before, after } = time
  const percent = (ms: number) => Math.round((100 * ms) / Math.max(1, after.allMs - before.allMs))
  return {
    seed,
    faults: history.faults.length,
    violations,
    recoveryMs: Number.isFinite(recoveryMs) ? recoveryMs : null,
    exits: history.exits.length,
    mails: history.sends.filter(({ reply }) => reply?.startsWith('250')).length,
    waits: history.waits.length,
    events: history.webhookRequests.length,
    tookMs: Math.round(time.tookMs),
    cpuMs: after.ownMs - before.ownMs,
    busyPercent: percent(after.busyMs - before.busyMs),
    stolenPercent: percent(after.stolenMs - before.stolenMs),
  }
}

/** One line, without the violations themselves. */
export function describeResult(result: SeedResult): string {
  const { seed, violations, recoveryMs, exits, faults, mails, waits, events } = result
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  return [
    `seed ${seed}: ${violations.length} violations`,
    recoveryMs === null ? 'not accepting again' : `accepting again within ${seconds(recoveryMs)} s`,
    `${exits} processes ended`,
    `${faults} faults, ${mails} mails, ${waits} waits, ${events} events`,
    `${seconds(result.cpuMs)} s of processor time in ${seconds(result.tookMs)} s`,
    `machine ${result.busyPercent} % busy, ${result.stolenPercent} % stolen`,
  ].join('; ')
}

/** The results in a file; none when there is no such file. */
export function readResults(file: string): readonly SeedResult[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  // Written by `addResult`.
  return lines.map((line) => JSON.parse(line) as SeedResult)
}

/** Adds a result to a file. */
export function addResult(file: string, result: SeedResult): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** The seeds of `7` or `1..50`. */
export function seedsOf(text: string): readonly number[] {
  const [, first, last = first] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? []
  if (first === undefined) throw new Error(`--seeds must be like 7 or 1..50, not ${text}`)
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i)
}
