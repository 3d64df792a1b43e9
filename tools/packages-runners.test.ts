import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startFakeHttp } from '../packages/client/test/testing-fake-http.ts'
import { FakeInbox } from '../packages/client/test/testing-fake-inbox.ts'
import { installClient } from './build/installed.ts'

const ROOT = join(import.meta.dirname, '..')

/** The tests of each suite, in plain JavaScript; `inbox` is how the runner hands one over. */
const tests = (inbox: string, given = '') => `
test('absence ends before the test does', async (${given}) => {
  await expect(${inbox}).not.toReceiveEmail()
})
test('errors have the diagnostics', async (${given}) => {
  const error = await expect(${inbox}).toReceiveOtp({ timeoutSeconds: 0 }).catch((thrown) => thrown)
  expect(error.diagnostics.nextSteps).toEqual(['Check that the application sends to port 1025.'])
})
test('errors are at the line of the test', async (${given}) => {
  await expect(${inbox}).toReceiveOtp({ timeoutSeconds: 0 }) // no mail
})
test('a typing error fails', async (${given}) => {
  await expect(${inbox}).toReceiveEmail({ subjet: 'x' }) // no such option
})
`

const FILES = {
  'package.json': '{ "type": "commonjs" }',
  'jest/jest.config.js': `module.exports = { testMatch: ['<rootDir>/*.spec.js'] }`,
  'jest/mail.spec.js': `
const { expect, useInbox } = require('@mayfly/client/jest')
const inbox = useInbox()
${tests('inbox()')}`,
  'jest/elsewhere.spec.js': `
const { useInbox } = require('@mayfly/client/jest')
const inbox = useInbox({ baseUrl: 'http://mayfly.example' }) // no key
test('never runs', () => {})`,
  'vitest/mail.spec.js': `
import { expect, test } from '@mayfly/client/vitest'
${tests('inbox', '{ inbox }')}`,
  'playwright/playwright.config.js': `
module.exports = { testMatch: 'mail.spec.js', timeout: 5000, reporter: 'line' }`,
  'playwright/mail.spec.js': `
const { expect, test } = require('@mayfly/client/playwright')
${tests('inbox', '{ inbox }')}`,
}

const RUNNERS = {
  jest: ['jest/bin/jest.js', '--ci', '--config', 'jest.config.js', '--rootDir', '.'],
  vitest: ['vitest/vitest.mjs', 'run', '--root', '.'],
  playwright: ['@playwright/test/cli.js', 'test', '--output', 'results'],
} as const

describe('the published client in each runner, in plain JavaScript', { timeout: 120_000 }, () => {
  let folder = ''

  before(async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    // Below the repository, whose runners they use.
    folder = await mkdtemp(join(ROOT, '.cache', 'runners-'))
    const { nodeModules } = await installClient()
    await symlink(nodeModules, join(folder, 'node_modules'))
    for (const [file, text] of Object.entries(FILES)) {
      await mkdir(join(folder, file, '..'), { recursive: true })
      await writeFile(join(folder, file), text)
    }
    await writeFile(join(folder, 'local-key'), 'mf_live_of_this_machine\n')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Runs the suite, without a key in the environment; returns what the runner wrote. */
  async function runSuite(runner: keyof typeof RUNNERS): Promise<string> {
    const inbox = new FakeInbox()
    const keys = new Set<string | undefined>()
    await using service = await startFakeHttp(async (call, gone) => {
      if (call.path === '/v1/service') {
        return { status: 200, body: { localKeyFile: join(folder, 'local-key') } }
      }
      keys.add(call.headers.authorization)
      // The fake has one inbox, which all tests use.
      return call.method === 'DELETE' ? { status: 204 } : inbox.respond(call, gone)
    })
    const [program, ...args] = RUNNERS[runner]
    const output = await new Promise<string>((resolve) => {
      const env = {
        ...process.env,
        MAYFLY_BASE_URL: service.baseUrl,
        MAYFLY_API_KEY: undefined,
        NODE_NO_WARNINGS: '1',
        NO_COLOR: '1',
        FORCE_COLOR: undefined,
        // The suites are no part of the run that starts them.
        NODE_TEST_CONTEXT: undefined,
      }
      const command = [join(ROOT, 'node_modules', program), ...args]
      const options = { cwd: join(folder, runner), env }
      execFile(process.execPath, command, options, (_error, stdout, stderr) => {
        resolve(`${stdout}${stderr}`)
      })
    })
    assert.deepEqual([...keys], ['Bearer mf_live_of_this_machine'], output)
    return output
  }

  for (const runner of ['jest', 'vitest', 'playwright'] as const) {
    it(`${runner}: errors say where and why, and absence is found in time`, async () => {
      const output = await runSuite(runner)
      assert.match(output, /EmailTimeoutError: A one-time code did not reach qa@mayfly\.test/)
      assert.match(output, />?\s+\d+\s*\|.* \/\/ no mail\n/)
      assert.match(output, /Unknown option "subjet"; did you mean "subject"\?/)
      assert.match(output, />?\s+\d+\s*\|.* \/\/ no such option\n/)
      assert.match(output, runner === 'jest' ? /Tests: +3 failed, 2 passed/ : /\b2 failed/)
      assert.match(output, /\b2 passed/)
      if (runner === 'jest')
        assert.match(output, /> \d+ \| const inbox = useInbox\(.* \/\/ no key\n/)
    })
  }
})
