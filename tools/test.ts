// Runs every check of the project, in the order in which a mistake is cheapest to see.
//
//   npm test                       everything
//   npm test -- packages/server    only the test files below these paths, no checks
//   npm test -- --affected [REV]   only the test files that import what differs from REV, or main

import { type StdioOptions, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTemplate, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { hashesOf, LONG_BUILDS, listGreen, recordGreen } from './long-builds.ts'
import { affectedFiles, groupFiles, listTestFiles } from './test-files.ts'
import {
  byFile,
  type GroupMessage,
  progressLine,
  type SuiteResult,
  seconds,
  slowestFiles,
  sumOf,
  timeLeftMs,
} from './test-report.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** How long each file took in the runs before. */
const TIMES = join(ROOT, 'node_modules', '.cache', 'test-times.json')

/** More than cores: many tests wait. */
const PROCESSES = 4

/** A test that fails may leave a timer that keeps its process, which ends then. */
const STEP_MS_MAX = 1_200_000

/** What is shown of the output of a group that failed. */
const OUTPUT_BYTES_MAX = 1024 * 1024

const only = process.argv.slice(2)
const isWhole = only.length === 0
const isAffected = only[0] === '--affected'
/** Whoever names files wants to see their tests. */
const isQuiet = isWhole || isAffected
const all = listTestFiles()
const selected = isAffected
  ? affectedFiles(all, only[1] ?? 'main')
  : all.filter((file) => isWhole || only.some((path) => file.startsWith(path)))

if (selected.length === 0) {
  process.stderr.write(`No test file belongs to ${only.join(' ')}.\n`)
  process.exit(2)
}
await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-test-'))
// Tests that start the server as a process of its own start what is built.
await mustPass('setup', ['tools/setup.mjs'])
if (isWhole) await mustPass('checks', ['tools/check.ts'])
const skipped = isWhole ? await listGreen(LONG_BUILDS) : []
for (const file of skipped) {
  process.stderr.write(`== ${file}: skipped; green before, and its inputs are the same\n`)
}
const files = selected.filter((file) => !skipped.includes(file))
const inputs = await hashesOf(files)
// One PostgreSQL for all test files; each test has a database of its own in it.
await using postgres = await startPostgres()
await createTemplate(postgres.url)
process.env['TEST_POSTGRES_URL'] = postgres.url
// Compiled code is kept between the test processes, and between runs.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'compile')
process.env['SYSTEM_CHROMIUM_PATH'] ??= process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
process.env['CHROMIUM_PATH'] = join(ROOT, 'tools', 'chromium.sh')

const suites: SuiteResult[] = []
const failures: string[] = []
const failed: string[] = []
const wallMs = new Map<string, number>(Object.entries(readTimes()))
const startedAt = performance.now()
const { chaos, queue } = groupFiles(files, LONG_BUILDS)
await Promise.all([
  // These wait for faults to pass most of the time: beside the others from the start.
  runGroups(chaos.length === 0 ? [] : [chaos]),
  ...Array.from({ length: PROCESSES }, () => runGroups(queue)),
])
summarise()

/** Runs one group after the other, until none is left. */
async function runGroups(groups: (readonly string[])[]): Promise<void> {
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const builds = Object.entries(inputs).filter(([file]) => group?.includes(file))
    if (!(await test(group))) failed.push(...group)
    else if (builds.length > 0) recordGreen(Object.fromEntries(builds))
  }
}

/** Runs files in one process, which saves loading the service for each of them. */
async function test(group: readonly string[]): Promise<boolean> {
  const name = `${group[0]}${group.length > 1 ? ` and ${group.length - 1} more` : ''}`
  const own: SuiteResult[] = []
  const startedAt = performance.now()
  const isSuccess = await run(['tools/test-group.ts', ...group], {
    isQuiet,
    onMessage: (message) => {
      if (message.kind === 'failure') failures.push(message.text)
      else {
        own.push(message)
        suites.push(message)
        showProgress(name)
      }
    },
  })
  const counts = `${sumOf(own, 'passed')} passed, ${sumOf(own, 'failed')} failed`
  const times = `${seconds(performance.now() - startedAt)}, ${seconds(sumOf(own, 'processorMs'))}`
  say(`== ${name}: ${isSuccess ? '' : 'FAILED, '}${counts} in ${times} of processor time`)
  return isSuccess
}

function showProgress(group: string): void {
  if (!process.stderr.isTTY || !isQuiet) return
  const elapsedMs = performance.now() - startedAt
  const done = byFile(suites).map(({ file }) => file)
  const leftMs = timeLeftMs({ elapsedMs, done, files, wallMs })
  const counts = { passed: sumOf(suites, 'passed'), failed: sumOf(suites, 'failed') }
  const line = progressLine({ group, ...counts, leftMs }, process.stderr.columns)
  process.stderr.write(`\r\u001b[K${line}`)
}

/** A line above that of the progress. */
function say(line: string): void {
  process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${line}\n`)
}

function summarise(): void {
  const times = byFile(suites).map(({ file, wallMs }) => [file, wallMs] as const)
  mkdirSync(dirname(TIMES), { recursive: true })
  writeFileSync(TIMES, JSON.stringify({ ...readTimes(), ...Object.fromEntries(times) }))
  say(`\n${slowestFiles(suites)}`)
  const wall = seconds(performance.now() - startedAt)
  const processor = seconds(sumOf(suites, 'processorMs'))
  const counts = `${sumOf(suites, 'passed')} passed, ${sumOf(suites, 'failed')} failed`
  say(`\n${counts} in ${wall}, ${processor} of processor time`)
  if (failed.length === 0) return
  say(`\nA test failed in one of these files:\n${failed.join('\n')}`)
  say(`\nWhat failed:\n${failures.join('\n\n')}`)
  process.exitCode = 1
}

function readTimes(): Readonly<Record<string, number>> {
  return existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {}
}

/** Runs a step that the next ones need. */
async function mustPass(name: string, args: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  const isSuccess = await run(args, { isQuiet: false, onMessage: () => {} })
  const took = seconds(performance.now() - startedAt)
  say(`== ${name}: ${isSuccess ? 'passed' : 'failed'} in ${took}`)
  if (!isSuccess) process.exit(1)
}

/** Runs Node; whether it succeeded. What a quiet step writes is shown when it fails. */
async function run(
  args: readonly string[],
  step: { readonly isQuiet: boolean; readonly onMessage: (message: GroupMessage) => void },
): Promise<boolean> {
  // A file and no pipe: a process that a test leaves behind would keep a pipe open.
  await using output = step.isQuiet ? await open(join(folder.path, randomUUID()), 'w+') : null
  const stream = output?.fd ?? 'inherit'
  const stdio: StdioOptions = ['inherit', stream, stream, 'ipc']
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio, timeout: STEP_MS_MAX })
  // Only tools/test-group.ts sends messages.
  child.on('message', (message) => step.onMessage(message as GroupMessage))
  const [[status]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  if (status !== 0 && output !== null) {
    const { buffer } = await output.read({ buffer: Buffer.alloc(OUTPUT_BYTES_MAX), position: 0 })
    say(buffer.toString('utf8').replace(/\0+$/, ''))
  }
  return status === 0
}
