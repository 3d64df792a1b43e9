import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type FakeMayfly, startFakeMayfly } from './testing-fake-mayfly.ts'

const FOLDER = join(import.meta.dirname, 'runners')
const installed = createRequire(import.meta.url)

/** Runs a suite that fails against the fake; returns what the runner wrote. */
async function failingRun(mayfly: FakeMayfly, args: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const env = {
    ...process.env,
    MAYFLY_BASE_URL: mayfly.baseUrl,
    MAYFLY_API_KEY: 'mf_test_key',
    NODE_NO_WARNINGS: '1',
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    // The suites are no part of the run that starts them.
    NODE_TEST_CONTEXT: undefined,
  }
  execFile(process.execPath, args, { cwd: FOLDER, env }, (error, stdout, stderr) => {
    assert.equal(error?.code, 1, `${stdout}${stderr}`)
    resolve(`${stdout}${stderr}`)
  })
  return promise
}

describe('a wait that begins late in a test', { concurrency: true, timeout: 60_000 }, () => {
  const timedOut = /EmailTimeoutError: A one-time code did not reach qa@mayfly\.test within 1 s\./

  it('ends before the test does in Vitest', async () => {
    await using mayfly = await startFakeMayfly()
    const vitest = join(installed.resolve('vitest/package.json'), '..', 'vitest.mjs')
    const output = await failingRun(mayfly, [vitest, 'run', 'late-vitest'])
    assert.match(output, timedOut)
    assert.doesNotMatch(output, /Test timed out/)
  })

  it('ends before the test does in Playwright', async () => {
    const output = await playwrightRun('begins to wait late')
    assert.match(output, timedOut)
    assert.doesNotMatch(output, /Test timeout of/)
  })

  it('says what to do when Playwright ends the test first', async () => {
    const output = await playwrightRun('waits for longer than it may take')
    assert.match(output, /Test timeout of 6000ms exceeded\./)
    assert.match(output, /MayflyError: The test ended during this wait: .+ \(test\.setTimeout\)/)
    assert.match(output, /> 13 \|\s+await expect\(inbox\)\.toReceiveOtp/)
    assert.doesNotMatch(output, /ApiError/)
  })
})

async function playwrightRun(title: string): Promise<string> {
  await using mayfly = await startFakeMayfly()
  const program = installed.resolve('@playwright/test/cli')
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-playwright-'))
  try {
    return await failingRun(mayfly, [program, 'test', '--grep', title, '--output', folder])
  } finally {
    await rm(folder, { recursive: true })
  }
}
