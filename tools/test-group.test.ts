import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

const LATER = 'new Promise((resolve) => setTimeout(resolve, 5))'

/** What a test does, and whether it fails the run. */
const TESTS: readonly (readonly [text: string, isFailure: boolean])[] = [
  [`await ${LATER}`, false],
  [`await ${LATER}; throw new Error('planted')`, true],
  [`setTimeout(() => { throw new Error('planted') }, 5)`, true],
  [`void (async () => { await ${LATER}; throw new Error('planted') })()`, true],
  [`void (async () => { await 1; throw new Error('planted') })(); await ${LATER}`, true],
]

describe('a group of test files', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-group-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const [text, isFailure] of TESTS) {
    it(`${isFailure ? 'fails' : 'passes'} with a test that does this: ${text}`, async () => {
      const files = ['planted', 'other'].map((name) => join(folder, `${name}.test.mjs`))
      const [planted = '', other = ''] = files
      const failures = join(folder, randomUUID())
      await writeFile(failures, '')
      const program = (body: string) => `import { it } from 'node:test'
        it('is run', async () => { ${body} })`
      await writeFile(planted, program(text))
      await writeFile(other, program(`await ${LATER}`))
      const { status, stdout } = spawnSync(
        process.execPath,
        [join(import.meta.dirname, 'test-group.ts'), ...files],
        {
          encoding: 'utf8',
          env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_FAILURES_FILE: failures },
        },
      )
      assert.equal(status, isFailure ? 1 : 0, stdout)
      assert.match(stdout, /tests 2\b/)
      assert.equal(stdout.includes('planted'), isFailure, stdout)
      assert.equal((await readFile(failures, 'utf8')).includes('planted'), isFailure)
    })
  }
})
