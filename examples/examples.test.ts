import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { sharedService } from '../packages/server/test/testing-start-service.ts'
import {
  installExampleClient,
  readRunArguments,
  runSuite,
  SUITE_NAMES,
  type SuiteName,
} from './run-suite.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * Waits end a second before their test, or after three seconds. What is left is for the rest of
 * the test, on a busy machine as well: a test that its runner ends cannot explain itself.
 */
const IMPATIENT = { TEST_TIMEOUT_MS: '12000', WAIT_SECONDS: '3' }

/** A failed wait says what did not come, and why. */
function assertExplained(output: string, reason: RegExp): void {
  assert.match(output, /A one-time code did not reach \w+@mayfly\.test within \d+ s\./)
  assert.match(output, reason)
}

describe('the command line of the examples', () => {
  it('is a suite, a bug and options of the runner', () => {
    const none = { suite: 'vitest', fault: 'none', args: [] }
    assert.deepEqual(readRunArguments(['vitest']), none)
    assert.deepEqual(readRunArguments(['vitest', 'silent']), { ...none, fault: 'silent' })
    const args = ['-t', 'code']
    assert.deepEqual(readRunArguments(['vitest', ...args]), { ...none, args })
    assert.deepEqual(readRunArguments(['vitest', 'silent', ...args]), {
      suite: 'vitest',
      fault: 'silent',
      args,
    })
  })

  it('names the suites and the bugs when a name is wrong', () => {
    const suites = 'vitest, jest, jest-commonjs, playwright, providers.'
    assert.equal(readRunArguments([]), `Name a suite: ${suites}`)
    assert.equal(readRunArguments(['mocha']), `No such suite: mocha. The suites are: ${suites}`)
    assert.equal(
      readRunArguments(['vitest', 'typo']),
      'No such bug: typo. The bugs are: none, silent, misaddressed, codeless.',
    )
  })
})

describe('the examples', () => {
  const shared = sharedService()

  before(installExampleClient)

  for (const name of SUITE_NAMES) {
    it(`${name}: passes while the application works`, async () => {
      const { code, output } = await runSuite(await shared(), name)
      assert.equal(code, 0, output)
    })
  }

  const broken: readonly [SuiteName, 'silent' | 'misaddressed', RegExp][] = [
    ['vitest', 'silent', /No mail arrived for this address, and none was refused\./],
    ['jest', 'misaddressed', /Refused:\n\s+\d\d:\d\d:\d\d UTC {2}mail for .+ was refused: .+/],
  ]
  for (const [name, fault, message] of broken) {
    it(`${name}: says what happened when the application is ${fault}`, async () => {
      const args = ['-t', 'with the code from the mail']
      const { code, output } = await runSuite(await shared(), name, { fault, args, env: IMPATIENT })
      assert.equal(code, 1, output)
      assertExplained(output, message)
      assert.match(output, /What to do next:/)
    })
  }

  it('playwright: says what happened, and attaches the mail and the diagnostics', async () => {
    const results = join(ROOT, '.cache', 'playwright')
    const reportFile = join(ROOT, '.cache', 'playwright-report.json')
    await rm(results, { recursive: true, force: true })
    const { code, output } = await runSuite(await shared(), 'playwright', {
      fault: 'codeless',
      args: ['--grep', 'with the code from the mail', '--reporter', 'line,json'],
      env: { ...IMPATIENT, PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile },
    })
    assert.equal(code, 1, output)
    assertExplained(output, /"Welcome to Example App": no one-time code was found in it/)
    const report = JSON.parse(await readFile(reportFile, 'utf8'))
    const [{ attachments }] = report.suites[0].specs[0].tests[0].results
    const kinds = attachments.map(
      ({ name, contentType }: { readonly name: string; readonly contentType: string }) =>
        `${name} ${contentType}`,
    )
    for (const kind of [
      'mayfly diagnostics text/plain',
      'mail 1: Welcome to Example App text/plain',
      'mail 1: Welcome to Example App (.eml) message/rfc822',
      'mail 1, screenshot image/png',
    ]) {
      assert.ok(kinds.includes(kind), kinds.join('\n'))
    }
    assert.ok((await readdir(results, { recursive: true })).length > 0)
  })
})
