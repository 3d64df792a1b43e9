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
await step('setup', process.execPath, ['tools/setup.mjs'])
if (only.length === 0) await step('checks', process.execPath, ['tools/check.ts'])
// One PostgreSQL for all test files; each test has a database of its own in it.
await using postgres = await startPostgres()
await createTemplate(postgres.url)
process.env['TEST_POSTGRES_URL'] = postgres.url
// Compiled code is kept between the test processes, and between runs.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'compile')
await step(`${files.length} test files`, process.execPath, [
  '--test',
  // As many as the cores of a small machine: many tests start a browser, a database or other nodes.
  '--test-concurrency=2',
  '--test-timeout=300000',
  ...files,
])

async function step(name: string, command: string, args: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  process.stderr.write(`\n== ${name}\n`)
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' })
  const status = await new Promise((resolve) => child.once('exit', resolve))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`== ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
  if (status !== 0) process.exitCode = 1
  if (status !== 0 && name !== `${files.length} test files`) process.exit(1)
}
