// From nothing to the first code: how long, how large, how much memory.
//
//   node bench/first-code.ts [ROUNDS]
//
// The executable, which is built first, beside `npm start` (the pinned Node with the bundle, its
// compile cache filled) and Mailpit, each in an empty folder, from the start of its process on.
// Rounds are interleaved, and the best counts. Processor time stays the same when the machine is
// busy otherwise; time does not.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@mayfly/client'
import { freePort } from '../packages/server/test/testing-free-port.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { buildExecutable } from '../tools/build/binary/executable.ts'
import { buildGoProgram } from './contenders/go-program.ts'
import { MAILPIT } from './contenders/mailpit.ts'
import { cpuTimeUs } from './load/cpu-time.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const ROOT = join(import.meta.dirname, '..')
const EXECUTABLE = join(ROOT, 'dist', `mayfly-${process.platform}-${process.arch}`)
const MAIN = join(ROOT, 'dist', 'program', 'main.js')

/** Time for background work of a start to end, before memory is read. */
const SETTLE_MS = 3_000

type Ports = { readonly http: number; readonly smtp: number }

/** A program that receives mail. */
type Program = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Everything that must be on the machine for it. */
  readonly sizeBytes: number
  readonly args: (ports: Ports) => readonly string[]
  readonly hasCodes: boolean
}

/** One start. Milliseconds from the start of the process on; null where there are no codes. */
type Measured = {
  readonly greetingMs: number
  readonly codeMs: number | null
  readonly cpuMs: number
  readonly rssMb: number
  readonly ownMb: number
}

await buildExecutable(EXECUTABLE)
const mailpit = buildGoProgram(MAILPIT)
const programs: readonly Program[] = [
  {
    name: 'Mayfly, the executable',
    command: [EXECUTABLE, 'serve'],
    sizeBytes: statSync(EXECUTABLE).size,
    args: () => [],
    hasCodes: true,
  },
  {
    name: 'Mayfly, npm start',
    command: [process.execPath, MAIN],
    sizeBytes: statSync(process.execPath).size,
    args: () => [],
    hasCodes: true,
  },
  {
    name: 'Mailpit',
    command: [mailpit],
    sizeBytes: statSync(mailpit).size,
    args: ({ http, smtp }) => [
      ...['--smtp', `127.0.0.1:${smtp}`, '--listen', `127.0.0.1:${http}`],
      ...['--database', 'mailpit.db', '--quiet', '--disable-version-check'],
    ],
    hasCodes: false,
  },
]

const measured = new Map<Program, Measured[]>(programs.map((program) => [program, []]))
for (let round = 0; round <= ROUNDS; round++) {
  for (const program of programs) {
    const result = await measure(program)
    // The first round fills caches.
    if (round > 0) measured.get(program)?.push(result)
  }
}
report()

async function measure(program: Program): Promise<Measured> {
  const idle = await run(program, async ({ sinceStart, pid }) => {
    const greetingMs = sinceStart()
    const cpuMs = cpuTimeUs(pid) / 1000
    await delay(SETTLE_MS)
    return { greetingMs, cpuMs, ...memoryOf(pid) }
  })
  const toCode = (running: Running) => takeCode(running).then(running.sinceStart)
  return { ...idle, codeMs: program.hasCodes ? await run(program, toCode) : null }
}

/** A program that has sent its first greeting. */
type Running = {
  readonly ports: Ports
  readonly folder: string
  readonly pid: number
  readonly sinceStart: () => number
}

async function run<T>(
  { command: [file, ...first], args }: Program,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-first-code-'))
  const ports = { http: await freePort(), smtp: await freePort() }
  const startedAt = performance.now()
  const child = spawn(file, [...first, ...args(ports)], {
    cwd: folder,
    env: {
      HOME: folder,
      MAYFLY_HTTP_PORT: String(ports.http),
      MAYFLY_SMTP_PORT: String(ports.smtp),
      MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const sinceStart = () => performance.now() - startedAt
  try {
    await greeting(ports.smtp)
    return await work({ ports, folder, pid: child.pid ?? 0, sinceStart })
  } finally {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function greeting(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'data')
      return
    } catch {
      await delay(2)
    } finally {
      socket.destroy()
    }
  }
}

async function takeCode({ ports: { http, smtp }, folder }: Running): Promise<void> {
  const baseUrl = `http://127.0.0.1:${http}`
  const apiKey = readFileSync(join(folder, 'data', 'local-key'), 'utf8').trim()
  const inbox = await createClient({ baseUrl, apiKey }).inboxes.create()
  const text = 'Your sign-in code is 481516.'
  await sendMails(smtp, [{ to: inbox.emailAddress, subject: 'Your code', text }])
  const { value } = await inbox.waitForOtp()
  if (value !== '481516') throw new Error(`the code is ${value}`)
}

/** Resident memory, and the part of it that no other process could share. */
function memoryOf(pid: number): { readonly rssMb: number; readonly ownMb: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
  return { rssMb: mb('Rss'), ownMb: mb('Anonymous') }
}

function report(): void {
  console.log(
    '| | size | greeting | first code | processor until greeting | idle memory | of it own |',
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const [{ name, sizeBytes }, results] of measured) {
    const best = (value: (result: Measured) => number | null) => {
      const values = results.map(value).filter((one) => one !== null)
      return values.length === 0 ? null : Math.round(Math.min(...values))
    }
    const cells = [
      `${Math.round(sizeBytes / 1e6)} MB`,
      `${best(({ greetingMs }) => greetingMs)} ms`,
      best(({ codeMs }) => codeMs) === null ? 'no codes' : `${best(({ codeMs }) => codeMs)} ms`,
      `${best(({ cpuMs }) => cpuMs)} ms`,
      `${best(({ rssMb }) => rssMb)} MB`,
      `${best(({ ownMb }) => ownMb)} MB`,
    ]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}
