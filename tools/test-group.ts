// Runs test files in one process: node tools/test-group.ts FILE…
//
// As `node --test --test-isolation=none` does, but without following each promise to the test that
// made it, which takes 8 % of the processor time. An error that no test caught still fails the
// run; only the name of its test may be missing. A suite must not be an async function.

import asyncHooks from 'node:async_hooks'
import { resolve } from 'node:path'

const TEST_MS_MAX = 300_000

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
// Only now: it takes the function when it is loaded.
const { run } = await import('node:test')
const { spec: Spec } = await import('node:test/reporters')

const files = process.argv.slice(2).map((file) => resolve(file))
run({ files, isolation: 'none', timeout: TEST_MS_MAX })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(new Spec())
  .pipe(process.stdout)
