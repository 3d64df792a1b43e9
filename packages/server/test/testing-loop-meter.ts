// Loaded into a server process by `--import`: measures how long the API's thread works at a time.
//
// Processor time of that thread between two turns of a timer, and not the time on the clock: other
// programs on the machine must not count. At each SIGUSR2 the longest so far is written to stdout.

import { isMainThread } from 'node:worker_threads'

const MARK = 'longest turn of the loop:'

if (isMainThread && import.meta.main !== true) {
  let before = process.threadCpuUsage()
  let longestMs = 0
  setInterval(() => {
    const now = process.threadCpuUsage()
    const workedMs = (now.user - before.user + now.system - before.system) / 1_000
    longestMs = Math.max(longestMs, workedMs)
    before = now
  }, 1).unref()
  process.on('SIGUSR2', () => {
    process.stdout.write(`${MARK} ${longestMs}\n`)
    longestMs = 0
  })
}

/** What a meter is read from. */
type MeteredProcess = {
  readonly child: { kill(signal: 'SIGUSR2'): boolean }
  output(): string
}

/** The longest work of the API's thread since the last reading, in milliseconds. */
export async function readLoopMeter(server: MeteredProcess): Promise<number> {
  const readings = () => server.output().match(new RegExp(`${MARK} [\\d.]+`, 'g')) ?? []
  const before = readings().length
  server.child.kill('SIGUSR2')
  for (;;) {
    const reading = readings()[before]
    if (reading !== undefined) return Number(reading.slice(MARK.length))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
