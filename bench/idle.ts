// What a start takes, what an idle service holds, and how long its first mail takes.
//
//   node bench/idle.ts [ROUNDS] [PROGRAM…]
//
// PROGRAM is a main.js of another tree, to compare with: all take turns in each round. The first
// round fills the compile cache, and does not count.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@mayfly/client'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { cpuTimeUs } from './load/cpu-time.ts'

const [rounds = '5', ...others] = process.argv.slice(2)
const PROGRAMS = [join(import.meta.dirname, '..', 'dist', 'program', 'main.js'), ...others]

/** Time for background work of a start to end, before memory is read. */
const SETTLE_MS = 6_000

/** What is measured of one start. */
type Measured = Readonly<Record<string, number>>

const measured = new Map<string, Measured[]>(PROGRAMS.map((program) => [program, []]))
for (let round = 0; round <= Number(rounds); round++) {
  for (const program of PROGRAMS) {
    const result = await measure(program)
    if (round > 0) measured.get(program)?.push(result)
  }
}
for (const [program, results] of measured) report(program, results)
console.log(`load average ${loadavg()[0]?.toFixed(1)}`)

async function measure(program: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-idle-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: {
      HOME: folder,
      MAYFLY_HTTP_PORT: '0',
      MAYFLY_SMTP_PORT: '0',
      MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const pid = child.pid ?? 0
  try {
    const { httpUrl, smtpPort } = await readyLine(child.stdout)
    const ready = { 'ready ms': performance.now() - startedAt, 'ready cpu ms': cpuMs(pid) }
    await delay(SETTLE_MS)
    const memory = memoryOf(pid)
    const idleCpuMs = cpuMs(pid)
    const apiKey = readFileSync(join(folder, 'data', 'local-key'), 'utf8').trim()
    const inbox = await createClient({ baseUrl: httpUrl, apiKey }).inboxes.create()
    const firstMail = await sendOne(smtpPort, inbox.emailAddress)
    const secondMail = await sendOne(smtpPort, inbox.emailAddress)
    return {
      ...ready,
      ...memory,
      'first mail ms': firstMail,
      'second mail ms': secondMail,
      'mails cpu ms': cpuMs(pid) - idleCpuMs,
    }
  } finally {
    // Not killed: a program writes its compile cache when it ends.
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readyLine(
  output: NodeJS.ReadableStream,
): Promise<{ readonly httpUrl: string; readonly smtpPort: number }> {
  for await (const line of createInterface({ input: output })) {
    if (!line.includes('"msg":"ready"')) continue
    output.resume()
    return JSON.parse(line)
  }
  throw new Error('the service did not start')
}

/** From the connection to its end. */
async function sendOne(port: number, to: string): Promise<number> {
  const startedAt = performance.now()
  await sendMails(port, [{ to, subject: 'Your code', text: 'Your sign-in code is 481516.' }])
  return performance.now() - startedAt
}

function cpuMs(pid: number): number {
  return cpuTimeUs(pid) / 1000
}

/** Resident memory; of it what is the process's own, and pages of files. */
function memoryOf(pid: number): Measured {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { 'resident MB': mb('VmRSS'), 'own MB': mb('RssAnon'), 'of files MB': mb('RssFile') }
}

function report(program: string, results: readonly Measured[]): void {
  console.log(program)
  for (const name of Object.keys(results[0] ?? {})) {
    const values = results.map((result) => Math.round(result[name] ?? 0)).sort((a, b) => a - b)
    const median = values[Math.floor(values.length / 2)]
    console.log(`  ${name}: median ${median}, from ${values[0]} to ${values.at(-1)}`)
  }
}
