// What a start takes, and what an idle service holds, beside Node that runs nothing.
//
//   node bench/idle.ts [--rounds=5]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { residentBytes } from './load/process.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'

const ROUNDS = option('rounds', 5)
const SERVICE = [join(import.meta.dirname, '..', 'dist', 'program', 'main.js')]
const NODE_ALONE = ['-e', 'console.log("ready"); setInterval(() => {}, 1e6)']

/** Time for background work of a start to end, before memory is read. */
const SETTLE_MS = 6_000

type Start = { readonly readyMs: number; readonly megabytes: number }

using _machine = watchMachine()
// The first start fills the compile cache.
await start(SERVICE)
const services: Start[] = []
const nodes: Start[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  services.push(await start(SERVICE))
  nodes.push(await start(NODE_ALONE))
}
const [ready, readyAlone] = [services, nodes].map((all) => median(all.map((one) => one.readyMs)))
const [held, heldAlone] = [services, nodes].map((all) => median(all.map((one) => one.megabytes)))
console.log(`Node alone: ready after ${readyAlone?.toFixed(0)} ms, ${heldAlone?.toFixed(0)} MB`)
printFigure('ms until ready', ready ?? Number.NaN, { atMost: 400 })
printFigure('MB while idle', held ?? Number.NaN, { atMost: 120 })

/** Starts a program that writes `ready`: how long that takes, and its memory when it is idle. */
async function start(args: readonly string[]): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-idle-'))
  const settings = { MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0' }
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { HOME: folder, ...settings, MAYFLY_DNS_SERVERS: '127.0.0.1:9' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (/^ready$|"msg":"ready"/.test(line)) break
    }
    const readyMs = performance.now() - startedAt
    child.stdout.resume()
    await setTimeout(SETTLE_MS)
    return { readyMs, megabytes: residentBytes(child.pid ?? 0) / 1024 ** 2 }
  } finally {
    // Not killed: a program writes its compile cache when it ends.
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
