// Runs every check of the project, in the order in which a mistake is cheapest to see.
//
//   npm test                       everything
//   npm test -- packages/server    only the test files below these paths, no checks

import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTemplate, startPostgres } from '../packages/server/test/testing-postgres.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const TEST_FILES = ['{tools,examples}/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts']

/** Of the tests outside the packages those that take long. */
const LONG_BUILDS = [
  'examples/examples.test.ts',
  'tools/binary.test.ts',
  'tools/fitted-codes.test.ts',
  'tools/packages.test.ts',
  'tools/python.test.ts',
]

/** More than cores: many tests wait. */
const PROCESSES = 4

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
process.env['SYSTEM_CHROMIUM_PATH'] ??= process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
process.env['CHROMIUM_PATH'] = join(ROOT, 'tools', 'chromium.sh')
// These wait for faults to pass most of the time: beside the others from the start.
const chaos = files.filter((file) => file.startsWith('packages/server/test/chaos/'))
const inPackages = difference(files, chaos).filter((file) => file.startsWith('packages/'))
const outside = difference(files, [...chaos, ...inPackages])
const builds = inGroups(
  outside.filter((file) => LONG_BUILDS.includes(file)),
  1,
)
const units = inPackages.filter((file) => file.includes('/src/'))
// Those of the server first, which take longest: the other packages come before it by name.
const services = inGroups(difference(inPackages, units), 16).reverse()
// The short ones last, so that no core is idle at the end. Builds need a core each, services wait
// much of the time.
const queue = [
  ...services.flatMap((group, index) => [builds[index] ?? [], group]),
  ...builds.slice(services.length),
  ...inShrinkingGroups(units, 15),
  ...inGroups(difference(outside, LONG_BUILDS), 4),
].filter((group) => group.length > 0)
// The output of the groups is mixed: they write what failed into a file as well.
await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-test-'))
const failures = join(folder.path, 'failures')
process.env['TEST_FAILURES_FILE'] = failures
const failed: string[] = []
await Promise.all([
  runGroups([chaos].filter((group) => group.length > 0)),
  ...Array.from({ length: PROCESSES }, () => runGroups(queue)),
])
if (failed.length > 0) {
  process.stderr.write(`\nA test failed in one of these files:\n${failed.join('\n')}\n`)
  if (existsSync(failures)) process.stderr.write(`\nWhat failed:\n${readFileSync(failures)}`)
  process.exitCode = 1
}

function difference(files: readonly string[], others: readonly string[]): string[] {
  return files.filter((file) => !others.includes(file))
}

function inGroups(files: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, group) =>
    files.slice(group * size, (group + 1) * size),
  )
}

/** Each group has a third of the files that are left: the last ones end at about the same time. */
function inShrinkingGroups(files: readonly string[], sizeMin: number): string[][] {
  if (files.length === 0) return []
  const size = Math.max(sizeMin, Math.ceil(files.length / 3))
  return [files.slice(0, size), ...inShrinkingGroups(files.slice(size), sizeMin)]
}

/** Runs one group after the other, until none is left. */
async function runGroups(groups: string[][]): Promise<void> {
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    if (!(await test(group))) failed.push(...group)
  }
}

/** Runs files in one process, which saves loading the service for each of them. */
async function test(group: readonly string[]): Promise<boolean> {
  const name = `${group[0]}${group.length > 1 ? ` and ${group.length - 1} more` : ''}`
  return await run(name, ['tools/test-group.ts', ...group])
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
