import { spawn } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestService } from '../packages/server/test/testing-start-service.ts'
import { installClient } from '../tools/build/installed.ts'
import { startApp } from './signup-app/app.ts'
import { FAULTS, type Fault } from './signup-app/mails.ts'

const ROOT = join(import.meta.dirname, '..')

/** The suites and the command that runs each. */
const SUITES = {
  vitest: ['vitest/vitest.mjs', 'run', '--root', 'examples/vitest'],
  jest: ['jest/bin/jest.js', '--ci', '--config', 'examples/jest/jest.config.js'],
  'jest-commonjs': [
    'jest/bin/jest.js',
    '--ci',
    '--config',
    'examples/jest-commonjs/jest.config.js',
  ],
  playwright: ['@playwright/test/cli.js', 'test', '--config', 'examples/playwright'],
  providers: ['vitest/vitest.mjs', 'run', '--root', 'examples/providers'],
} as const satisfies Record<string, readonly string[]>

/** The name of a suite. */
export type SuiteName = keyof typeof SUITES

/** The names of all suites. */
// The keys of an object are typed as strings.
export const SUITE_NAMES = Object.keys(SUITES) as readonly SuiteName[]

/** How a suite ended and what it said. */
export type SuiteOutcome = { readonly code: number | null; readonly output: string }

/** The bug of the application, further arguments and variables of the runner. */
export type SuiteOptions = {
  readonly fault?: Fault
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** What to run, from the command line. */
export type RunArguments = {
  readonly suite: SuiteName
  readonly fault: Fault
  readonly args: readonly string[]
}

/** Reads `SUITE [FAULT] [options of the runner]`; returns what is wrong as a sentence. */
export function readRunArguments(given: readonly string[]): RunArguments | string {
  const [name, ...rest] = given
  const suite = SUITE_NAMES.find((known) => known === name)
  if (suite === undefined) {
    const problem = name === undefined ? 'Name a suite' : `No such suite: ${name}. The suites are`
    return `${problem}: ${SUITE_NAMES.join(', ')}.`
  }
  const [bug] = rest
  // An option of the runner, such as -t, may follow the suite directly.
  if (bug === undefined || bug.startsWith('-')) return { suite, fault: 'none', args: rest }
  const fault = FAULTS.find((known) => known === bug)
  if (fault === undefined) return `No such bug: ${bug}. The bugs are: ${FAULTS.join(', ')}.`
  return { suite, fault, args: rest.slice(1) }
}

/** Runs a suite against an account and an application of its own. */
export async function runSuite(
  mayfly: TestService,
  name: SuiteName,
  { fault = 'none', args = [], env = {} }: SuiteOptions = {},
): Promise<SuiteOutcome> {
  await using app = await startApp({ smtpHost: '127.0.0.1', smtpPort: mayfly.smtpPort, fault })
  const account = await mayfly.register()
  const [program, ...rest] = SUITES[name]
  const script = join(ROOT, 'node_modules', program)
  // Jest runs ES modules only with it.
  const flags = name === 'jest' ? ['--experimental-vm-modules'] : []
  const child = spawn(process.execPath, [...flags, script, ...rest, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      MAYFLY_BASE_URL: mayfly.httpUrl,
      MAYFLY_API_KEY: account.key ?? '',
      APP_URL: app.url,
      NODE_NO_WARNINGS: '1',
      NO_COLOR: '1',
      // The suites are no part of the run that starts them.
      NODE_TEST_CONTEXT: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output: Buffer.concat(chunks).toString('utf8') }
}

/**
 * Installs the packed client as `@mayfly/client` of the suites: Jest takes no TypeScript from
 * packages, and users have the packed one too.
 */
export async function installExampleClient(): Promise<void> {
  const { nodeModules } = await installClient()
  const folder = join(ROOT, 'examples', 'node_modules', '@mayfly')
  await rm(folder, { recursive: true, force: true })
  await cp(join(nodeModules, '@mayfly'), folder, { recursive: true })
}
