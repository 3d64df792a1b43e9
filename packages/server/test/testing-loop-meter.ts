// Loaded into a server process by `--import`: measures how long each thread works at a time.
//
// Processor time of the thread between two turns of a timer, and not the time on the clock: other
// programs on the machine must not count. At each SIGUSR2 every thread writes its longest.

import { parse } from 'node:path'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { until } from './testing-until.ts'

/**
 * Longest that a thread may work at a time in a test, far above what bench/worst-inputs.ts allows:
 * on a machine that others use, the same work takes several times the processor time. What these
 * tests guard against takes 1 s to 30 s.
 */
export const LOOP_MS_MAX = 500

/** The threads that can be asked about. */
type MeteredThread = 'main' | 'receiving-thread' | 'composing-thread'

const mark = (thread: string) => `longest turn of ${thread}:`

if (import.meta.main !== true) {
  const name = isMainThread ? 'main' : parse(process.argv[1] ?? '').name
  let before = process.threadCpuUsage()
  let longestMs = 0
  setInterval(() => {
    const now = process.threadCpuUsage()
    const workedMs = (now.user - before.user + now.system - before.system) / 1_000
    longestMs = Math.max(longestMs, workedMs)
    before = now
  }, 1).unref()
  const write = () => {
    process.stdout.write(`${mark(name)} ${longestMs}\n`)
    longestMs = 0
  }
  const channel = new BroadcastChannel('loop meter')
  channel.onmessage = write
  channel.unref()
  if (isMainThread) {
    process.on('SIGUSR2', () => {
      write()
      channel.postMessage(null)
    })
  }
}

/** What a meter is read from. */
type MeteredProcess = {
  readonly child: { kill(signal: 'SIGUSR2'): boolean }
  output(): string
}

/** The longest work of threads since the last reading, in milliseconds. */
export async function readLoopMeters(
  server: MeteredProcess,
  threads: readonly MeteredThread[],
): Promise<readonly number[]> {
  const read = (thread: MeteredThread) =>
    server.output().match(new RegExp(`(?<=${mark(thread)} )[\\d.]+`, 'g')) ?? []
  const before = threads.map((thread) => read(thread).length)
  server.child.kill('SIGUSR2')
  return until(async () => {
    const readings = threads.map((thread, i) => Number(read(thread)[before[i] ?? 0]))
    return readings.some(Number.isNaN) ? null : readings
  })
}

/** The longest work of the API's thread since the last reading, in milliseconds. */
export async function readLoopMeter(server: MeteredProcess): Promise<number> {
  const [reading = Number.NaN] = await readLoopMeters(server, ['main'])
  return reading
}
