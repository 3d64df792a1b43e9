import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { installClient, runSuite, SUITES, type SuiteName } from './run-suite.ts'

const ROOT = join(import.meta.dirname, '..')

/** Waits of two or three seconds: enough for mail that arrives, short when none does. */
const IMPATIENT = { TEST_TIMEOUT_MS: '4500', WAIT_SECONDS: '3' }

describe('the examples', () => {
  before(installClient)

  for (const name of ['vitest', 'jest', 'playwright'] as const) {
    it(`${name}: passes while the application works`, async () => {
      const { code, output } = await runSuite(name)
      assert.equal(code, 0, output)
    })
  }

  it('names every suite', () => {
    assert.deepEqual(Object.keys(SUITES).sort(), ['jest', 'playwright', 'vitest'])
  })

  const broken: readonly [SuiteName, 'silent' | 'misaddressed' | 'codeless', RegExp][] = [
    ['vitest', 'silent', /No mail arrived for this address, and none was refused\./],
    ['jest', 'misaddressed', /Refused:\n\s+\d\d:\d\d:\d\d UTC {2}near\.miss: .+/],
    ['playwright', 'codeless', /"Welcome to Example App": no one-time code was found in it/],
  ]
  for (const [name, fault, message] of broken) {
    it(`${name}: says what happened when the application is ${fault}`, async () => {
      const pattern = name === 'playwright' ? '--grep' : '-t'
      const { code, output } = await runSuite(name, {
        fault,
        args: [pattern, 'with the code from the mail'],
        env: IMPATIENT,
      })
      assert.equal(code, 1, output)
      assert.match(output, /A one-time code did not reach \w+@mayfly\.test within \d s\./)
      assert.match(output, message)
      assert.match(output, /What to do next:/)
    })
  }

  it('playwright: attaches the mail, its rendering and the diagnostics to the report', async () => {
    const results = join(ROOT, '.cache', 'playwright')
    await rm(results, { recursive: true, force: true })
    const { output } = await runSuite('playwright', {
      fault: 'codeless',
      args: ['--grep', 'with the code from the mail', '--reporter', 'json'],
      env: IMPATIENT,
    })
    const report = JSON.parse(output)
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
