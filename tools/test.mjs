// Runs every check of the project, in the order in which a mistake is cheapest to see.
//
//   npm test                       everything
//   npm test -- packages/server    only the test files below these paths, no lint or types

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(ROOT, 'node_modules', '.bin', name)
const only = process.argv.slice(2)

const TEST_FILES = [
  'tools/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
]
const files = globSync(TEST_FILES, { cwd: ROOT })
  .filter((file) => only.length === 0 || only.some((path) => file.startsWith(path)))
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file lies below ${only.join(', ')}.\n`)
  process.exit(2)
}

if (only.length === 0) {
  step('format and lint', bin('biome'), ['ci', '--error-on-warnings', '.'])
  step('types', bin('tsc'), ['--project', '.'])
}
step(`${files.length} test files`, process.execPath, ['--test', '--test-concurrency=2', ...files])

function step(name, command, args) {
  const startedAt = performance.now()
  process.stderr.write(`\n== ${name}\n`)
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`== ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
  if (status !== 0) process.exit(1)
}
