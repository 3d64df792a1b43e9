// Runs test files in one process: node tools/test-group.ts FILE…
//
// As `node --test --test-isolation=none` does, but without following each promise to the test that
// made it, which takes 8 % of the processor time. An error that no test caught still fails the
// run; only the name of its test may be missing. A suite must not be an async function.
//
// The service's threads run the bundle that tools/test.ts has built, as `npm start` does: loading a
// thousand modules in each takes 0.8 s of processor time for a service.

import asyncHooks from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'
import type { GroupMessage } from './test-report.ts'

const TEST_MS_MAX = 300_000

/** A test that does not end must not hold up the run: the time above does not end all of them. */
const GROUP_MS_MAX = 900_000

/** The unit of the times in /proc. */
const TICK_MS = 10

const ROOT = resolve(import.meta.dirname, '..')
const THREADS = pathToFileURL(join(ROOT, 'packages', 'server', 'src', 'threads')).href
const PROGRAM = pathToFileURL(join(ROOT, 'dist', 'program')).href

threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const isOurs = file instanceof URL && file.href.startsWith(THREADS)
    super(isOurs ? new URL(`${PROGRAM}/${basename(file.pathname, '.ts')}.js`) : file, options)
  }
}
syncBuiltinESMExports()

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
// Only now: it takes the function when it is loaded.
const { run } = await import('node:test')
const { spec: Spec } = await import('node:test/reporters')

setTimeout(() => {
  console.error(`The tests of this group did not end within ${GROUP_MS_MAX / 60_000} minutes.`)
  process.exit(1)
}, GROUP_MS_MAX).unref()

/** The files of suites that `testing-databases.ts` declares: Node names that file. */
const fileOf = new Map<string, string>()
subscribe('mayfly:suite', (message) => {
  // Only testing-databases.ts publishes there.
  const { title, file } = message as { readonly title: string; readonly file: string }
  fileOf.set(title, fileURLToPath(file))
})

// A library that listens for messages, as that of PostgreSQL does, would keep the process.
process.channel?.unref()

const files = process.argv.slice(2).map((file) => resolve(file))
let counts = { passed: 0, failed: 0 }
let before = spent()
run({ files, isolation: 'none', timeout: TEST_MS_MAX })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .on('test:pass', ({ name, file, nesting, details }) => {
    if (details.type !== 'suite') counts.passed += 1
    if (nesting === 0) reportSuite(name, file)
  })
  .on('test:fail', ({ name, file, line, nesting, details: { type, error } }) => {
    if (type !== 'suite') {
      counts.failed += 1
      reportFailure(`${relative(ROOT, file ?? '')}:${line}: ${name}\n${reasonOf(error.cause)}`)
    }
    if (nesting === 0) reportSuite(name, file)
  })
  .on('test:diagnostic', ({ message }) => {
    // An error that no test caught.
    if (message.startsWith('Error: ')) reportFailure(message)
  })
  .compose(new Spec())
  .pipe(process.stdout)

/** Tells tools/test.ts of a suite at the top of a file, which has just ended. */
function reportSuite(title: string, declaredIn: string | undefined): void {
  const now = spent()
  const file = relative(ROOT, fileOf.get(title) ?? declaredIn ?? '')
  const wallMs = now.wallMs - before.wallMs
  const processorMs = now.processorMs - before.processorMs
  send({ kind: 'suite', file, ...counts, wallMs, processorMs })
  counts = { passed: 0, failed: 0 }
  before = now
}

function reportFailure(text: string): void {
  send({ kind: 'failure', text })
}

/** Whoever runs this file by hand reads the output instead. */
function send(message: GroupMessage): void {
  process.send?.(message)
}

/** The time so far, and the processor time of this process and of its children that have ended. */
function spent() {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), processorMs: (user + system) / 1000 + endedChildrenMs() }
}

function endedChildrenMs(): number {
  if (process.platform !== 'linux') return 0
  // The name, in parentheses, may have spaces.
  const [, fields = ''] = readFileSync('/proc/self/stat', 'latin1').split(/\) /)
  const [user, system] = fields.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) * TICK_MS
}

/** Why a test failed; of a failed disposal first the error that it followed. */
function reasonOf(error: unknown): string {
  if (error instanceof SuppressedError) {
    return `${reasonOf(error.suppressed)}\nThen a disposal failed: ${reasonOf(error.error)}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
