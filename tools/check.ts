// Runs what is checked without running the code, all at the same time: npm run check

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = dirname(import.meta.dirname)
/** What is known of files that did not change: a second check takes a seventh of the time. */
const KNOWN_TYPES = join('node_modules', '.cache', 'types.tsbuildinfo')

const CHECKS = {
  types: ['tsc', '--project', '.', '--incremental', '--tsBuildInfoFile', KNOWN_TYPES],
  'types of the dashboard': ['tsc', '--project', 'packages/dashboard'],
  'format and lint': ['biome', 'ci', '--error-on-warnings', '.'],
  layers: ['depcruise', 'packages', 'tools', 'bench', 'examples'],
  'dead code': ['knip', '--no-config-hints'],
  'house rules': ['node', 'tools/tidy.ts'],
  'known advisories': ['node', 'tools/check-advisories.ts'],
}

await Promise.all(Object.entries(CHECKS).map(([name, command]) => check(name, command)))

/** Says nothing but its name of a check that passes. */
async function check(name: string, [program = '', ...args]: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  const child = spawn(join(ROOT, 'node_modules', '.bin', program), args, { cwd: ROOT })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`)
    process.exitCode = 1
  }
  process.stderr.write(`== ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`)
}
