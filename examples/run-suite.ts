import { spawn } from 'node:child_process'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../packages/server/test/start-service.ts'
import { startApp } from './signup-app/app.ts'
import type { Fault } from './signup-app/mails.ts'

const ROOT = join(import.meta.dirname, '..')

/** The suites and the command that runs each. */
export const SUITES = {
  vitest: ['vitest/vitest.mjs', 'run', '--root', 'examples/vitest'],
  jest: ['jest/bin/jest.js', '--ci', '--rootDir', 'examples/jest'],
  playwright: ['@playwright/test/cli.js', 'test', '--config', 'examples/playwright'],
} as const satisfies Record<string, readonly string[]>

/** The name of a suite. */
export type SuiteName = keyof typeof SUITES

/** How a suite ended and what it said. */
export type SuiteOutcome = { readonly code: number | null; readonly output: string }

/**
 * Runs a suite against a Mayfly and an application of its own.
 *
 * The suites import the client as it is published, from dist/: Jest takes no TypeScript from
 * packages, and users have the built one too.
 */
export async function runSuite(
  name: SuiteName,
  { fault = 'none', args = [] }: { readonly fault?: Fault; readonly args?: readonly string[] } = {},
): Promise<SuiteOutcome> {
  await linkClient()
  await using mayfly = await startService()
  await using app = await startApp({ smtpHost: '127.0.0.1', smtpPort: mayfly.smtpPort, fault })
  const account = await mayfly.register()
  const [program, ...rest] = SUITES[name]
  const script = join(ROOT, 'node_modules', program)
  const child = spawn(process.execPath, ['--experimental-vm-modules', script, ...rest, ...args], {
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

/** `@mayfly/client` of the suites is the built one. */
async function linkClient(): Promise<void> {
  const folder = join(ROOT, 'examples', 'node_modules', '@mayfly')
  const link = join(folder, 'client')
  await mkdir(folder, { recursive: true })
  await rm(link, { force: true })
  await symlink(join(ROOT, 'dist', 'client'), link, 'dir')
}
