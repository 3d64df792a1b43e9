// Runs every check of the project, in the order in which a mistake is cheapest to see.
//
//   npm test                       everything
//   npm test -- packages/server    only the test files below these paths, no checks

import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTemplate, startPostgres } from '../packages/server/test/testing-postgres.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const TEST_FILES = ['{tools,examples}/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts']

/** A test that fails may leave a timer that keeps its process, which ends then. */
const STEP_MS_MAX = 1_200_000

const only = process.argv.slice(2)
const files = globSync(TEST_FILES, { cwd: ROOT })
  .filter((file) => only.length === 0 || only.some((path) => file.startsWith(path)))
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file lies below ${only.join(', ')}.\n`)
  process.exit(2)
}
// Tests that start the server as a process of its own start what is built.
await mustPass('setup', ['tools/setup.mjs'])
if (only.length === 0) await mustPass('checks', ['tools/check.ts'])
// One PostgreSQL for all test files; each test has a database of its own in it.
await using postgres = await startPostgres()
await createTemplate(postgres.url)
process.env['TEST_POSTGRES_URL'] = postgres.url
// Compiled code is kept between the test processes, and between runs.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'compile')
// Files share a process, which saves loading the service for each of them. Several processes,
// because many tests wait. What builds packages and programs has a process for each file.
const together = ['--test-isolation=none']
const outside = files.filter((file) => !file.startsWith('packages/'))
const units = files.filter((file) => file.startsWith('packages/') && file.includes('/src/'))
const whole = files.filter((file) => file.startsWith('packages/') && !file.includes('/src/'))
const passed = await Promise.all([
  test('tools and examples', ['--test-concurrency=1'], outside),
  test('units', together, units),
  ...[0, 1].map((half) =>
    test(
      `packages as a whole, half ${half + 1}`,
      together,
      whole.filter((_, index) => index % 2 === half),
    ),
  ),
])
if (passed.includes(false)) process.exitCode = 1

async function test(
  name: string,
  options: readonly string[],
  files: readonly string[],
): Promise<boolean> {
  if (files.length === 0) return true
  return await run(`${name}, ${files.length} files`, [
    '--test',
    '--test-timeout=300000',
    ...options,
    ...files,
  ])
}

/** Runs a step that the next ones need. */
async function mustPass(name: string, args: readonly string[]): Promise<void> {
  if (!(await run(name, args))) process.exit(1)
}

/** Runs Node; whether it succeeded. */
async function run(name: string, args: readonly string[]): Promise<boolean> {
  const startedAt = performance.now()
  process.stderr.write(`\n== ${name}\n`)
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', timeout: STEP_MS_MAX })
  const status = await new Promise((resolve) => child.once('exit', resolve))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`== ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
  return status === 0
}
