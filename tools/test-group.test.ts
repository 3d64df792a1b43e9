import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { byFile, type GroupMessage } from './test-report.ts'

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

  /** Runs files with these texts; each begins with an import of `it`. */
  async function runGroup(texts: Readonly<Record<string, string>>) {
    const files = Object.keys(texts).map((name) => join(folder, name))
    for (const [name, text] of Object.entries(texts)) {
      await writeFile(join(folder, name), `import { it } from 'node:test'\n${text}`)
    }
    const group = join(import.meta.dirname, 'test-group.ts')
    const child = fork(group, files, {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    })
    const messages: GroupMessage[] = []
    // Such a process sends no other.
    child.on('message', (message) => messages.push(message as GroupMessage))
    const [stdout, [status]] = await Promise.all([
      child.stdout === null ? '' : text(child.stdout),
      once(child, 'exit'),
      once(child, 'disconnect'),
    ])
    const failures = messages.flatMap((one) => (one.kind === 'failure' ? [one.text] : []))
    const suites = messages.filter((one) => one.kind === 'suite')
    return { status, stdout, failures, suites }
  }

  for (const [body, isFailure] of TESTS) {
    it(`${isFailure ? 'fails' : 'passes'} with a test that does this: ${body}`, async () => {
      const { status, stdout, failures } = await runGroup({
        'planted.test.mjs': `it('is run', async () => { ${body} })`,
        'other.test.mjs': `it('is run', async () => { await ${LATER} })`,
      })
      assert.equal(status, isFailure ? 1 : 0, stdout)
      assert.match(stdout, /tests 2\b/)
      assert.equal(stdout.includes('planted'), isFailure, stdout)
      assert.equal(failures.join().includes('planted'), isFailure)
    })
  }

  it('reports the tests and times of each file, whoever declares its suites', async () => {
    // Linux estimates how a process divides its time in user and system: only the sum is exact.
    const busy = `const spent = () => {
        const { user, system } = process.cpuUsage()
        return user + system
      }
      const until = spent() + 5e4
      while (spent() < until);`
    const databases = join(import.meta.dirname, '../packages/server/test/testing-databases.ts')
    const { suites, stdout } = await runGroup({
      'busy.test.mjs': `it('one', () => { ${busy} }); it('two', () => {})`,
      'both.test.ts': `import { onEachDatabase } from ${JSON.stringify(databases)}
        onEachDatabase('a suite', () => { it('is run', () => { ${busy} }) })`,
    })
    const files = byFile(suites).map(({ file, passed, failed }) => [basename(file), passed, failed])
    assert.deepEqual(
      files,
      [
        ['busy.test.mjs', 2, 0],
        ['both.test.ts', 2, 0],
      ],
      stdout,
    )
    for (const { wallMs, processorMs } of byFile(suites)) {
      assert.ok(wallMs >= 40 && processorMs >= 20, `${wallMs} ms, ${processorMs} ms`)
    }
  })

  it('ends although something listens for messages of its parent', async () => {
    const { status } = await runGroup({
      'listening.test.mjs': `process.on('message', () => {}); it('is run', () => {})`,
    })
    assert.equal(status, 0)
  })

  it('shows the error of a test before that of the disposal that followed', async () => {
    const { failures } = await runGroup({
      'disposal.test.mjs': `it('is run', () => {
        using _held = { [Symbol.dispose]() { throw new Error('second') } }
        throw new Error('first')
      })`,
    })
    assert.match(failures.join(), /first.*Then a disposal failed: Error: second/s)
  })
})
