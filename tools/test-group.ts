// Runs test files in one process: node tools/test-group.ts FILE…
//
// As `node --test --test-isolation=none` does, but without following each promise to the test that
// made it, which takes 8 % of the processor time. An error that no test caught still fails the
// run; only the name of its test may be missing. A suite must not be an async function.
//
// The service's threads run the bundle that tools/test.ts has built, as `npm start` does: loading a
// thousand modules in each takes 0.8 s of processor time for a service.

import asyncHooks from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const TEST_MS_MAX = 300_000

/** A test that does not end must not hold up the run: the time above does not end all of them. */
const GROUP_MS_MAX = 900_000

/** Where the tests that failed are written to, if anywhere. */
const FAILURES_FILE = process.env['TEST_FAILURES_FILE']

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

const files = process.argv.slice(2).map((file) => resolve(file))
run({ files, isolation: 'none', timeout: TEST_MS_MAX })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .on('test:fail', ({ name, file, line, details: { type, error } }) => {
    if (type === 'suite') return
    const { cause } = error
    const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    record(`${relative(ROOT, file ?? '')}:${line}: ${name}\n${reason}`)
  })
  .on('test:diagnostic', ({ message }) => {
    // An error that no test caught.
    if (message.startsWith('Error: ')) record(message)
  })
  .compose(new Spec())
  .pipe(process.stdout)

/** Tells tools/test.ts what failed. */
function record(failure: string): void {
  if (FAILURES_FILE !== undefined) appendFileSync(FAILURES_FILE, `${failure}\n\n`)
}
