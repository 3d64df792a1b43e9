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
// Tests beside the code start no other programs: they share a process, which saves a start for
// each file. The others have a process each, two at a time: many start a browser, a database or
// other nodes.
const units = files.filter((file) => file.includes('/src/'))
// Those outside of the packages take longest: they begin first, so that no core is idle at the end.
const others = files
  .filter((file) => !file.includes('/src/'))
  .sort((a, b) => Number(a.startsWith('packages/')) - Number(b.startsWith('packages/')))
const passed = await Promise.all([
  test(`${others.length} files that start programs`, ['--test-concurrency=2'], others),
  test(`${units.length} files of unit tests`, ['--test-isolation=none'], units),
])
if (passed.includes(false)) process.exitCode = 1

async function test(
  name: string,
  options: readonly string[],
  files: readonly string[],
): Promise<boolean> {
  if (files.length === 0) return true
  return await run(name, ['--test', '--test-timeout=300000', ...options, ...files])
}

/** Runs a step that the next ones need. */
async function mustPass(name: string, args: readonly string[]): Promise<void> {
  if (!(await run(name, args))) process.exit(1)
}

/** Runs Node; whether it succeeded. */
async function run(name: string, args: readonly string[]): Promise<boolean> {
  const startedAt = performance.now()
  process.stderr.write(`\n== ${name}\n`)
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
  const status = await new Promise((resolve) => child.once('exit', resolve))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`== ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
  return status === 0
}
