import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { createClient } from '@mayfly/client'
import { startMayfly } from 'mayfly'
import { freePort } from '../packages/server/test/testing-free-port.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { until } from '../packages/server/test/testing-until.ts'
import { buildExecutable } from './build/binary/executable.ts'
import { kept } from './build/build-cache.ts'
import { buildImage, hasBuildah } from './testing-image.ts'
import { wholeProgram } from './testing-whole-program.ts'

const run = promisify(execFile)

/** What the executable follows from. */
const SOURCES = [
  'docs/*.md',
  'package-lock.json',
  'packages/*/{*,src/**}',
  'packages/dashboard/dist/**',
  'tools/build/**',
]

/** An ordinary user, where this one is none. */
const NOBODY = 65_534
const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** What the GitHub Action runs. */
const START = join(import.meta.dirname, '..', 'action', 'start.sh')

/** The environment of a job that starts the executable. */
async function jobOf(executable: string, folder: string) {
  const home = await mkdtemp(join(folder, 'job-'))
  return {
    PATH: process.env['PATH'],
    RUNNER_TEMP: home,
    GITHUB_OUTPUT: join(home, 'output'),
    GITHUB_ENV: join(home, 'env'),
    EXECUTABLE: executable,
    SHA256: createHash('sha256')
      .update(await readFile(executable))
      .digest('hex'),
    HTTP_PORT: String(await freePort()),
    SMTP_PORT: String(await freePort()),
  }
}

describe('the executable', { timeout: 180_000 }, () => {
  let folder = ''
  let mayfly = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-binary-'))
    await chmod(folder, 0o755)
    const built = await kept('executable', SOURCES, (to) => buildExecutable(join(to, 'mayfly')))
    // A user who is not the owner of the repository starts it.
    await cp(built, folder, { recursive: true })
    mayfly = join(folder, 'mayfly')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** An empty folder of an ordinary user, with nothing in its environment, not even a PATH. */
  async function openHome() {
    const home = await mkdtemp(join(folder, 'home-'))
    if (USER.uid !== undefined) await chown(home, USER.uid, USER.gid)
    return home
  }

  it('has the licences of what is in it beside it', async () => {
    const licenses = await readFile(`${mayfly}.licenses.txt`, 'utf8')
    for (const text of ['Node.js v26', 'fastify 5', 'mailauth 7', 'undici 8', 'preact 1']) {
      assert.ok(licenses.includes(text), text)
    }
  })

  it('runs commands without a service', async () => {
    const home = await openHome()
    const command = (...args: readonly string[]) =>
      run(mayfly, args, { ...USER, cwd: home, env: { HOME: home } })
    assert.match((await command('--help')).stdout, /^mayfly: throw-away email inboxes/)
    assert.match((await command('serve', '--help')).stdout, /MAYFLY_SMTP_THREADS/)
    assert.match(
      (await command('--version')).stdout,
      /^\d+\.\d+\.\d+ \([0-9a-f]{12}(?:-dirty)?, \d{4}-\d\d-\d\d\)\n$/,
    )
    const unreachable = command('healthcheck', '--url', 'http://127.0.0.1:9')
    await assert.rejects(unreachable, { code: 1, stderr: /^mayfly: http:\/\/127\.0\.0\.1:9.*\n$/ })
    // As the executable is called, and not `npx mayfly` as in a clone.
    await assert.rejects(command('inboxx'), { code: 2, stderr: /Did you mean `mayfly inbox`/ })
    assert.deepEqual(await readdir(home), [])
  })

  wholeProgram('the executable', () => ({ command: [mayfly], user: USER, openHome }))

  it('is started for a test run by startMayfly()', async () => {
    const started = await startMayfly({ executable: mayfly })
    assert.deepEqual((await createClient(started).inboxes.list()).inboxes, [])
    await started.stop()
  })

  it('is started for a job by the GitHub Action', async () => {
    const given = await jobOf(mayfly, folder)
    const other = { EXECUTABLE: '/bin/false', SHA256: '00'.repeat(32) }
    const wrong = run(START, [], { env: { ...given, ...other } })
    await assert.rejects(wrong, { stderr: /computed checksum did NOT match/ })
    const { stdout } = await run(START, [], { env: given })
    assert.equal(stdout.split('\n').length, 2, stdout)
    const variables = parseEnv(await readFile(given.GITHUB_ENV, 'utf8'))
    const { MAYFLY_BASE_URL: baseUrl = '', MAYFLY_API_KEY: apiKey = '' } = variables
    const output = await readFile(given.GITHUB_OUTPUT, 'utf8')
    const [, processId] = /^process-id=(\d+)$/m.exec(output) ?? []
    assert.ok(processId !== undefined, output)
    try {
      assert.ok(stdout.includes(`::add-mask::${apiKey}\n`))
      assert.ok(output.startsWith(`base-url=${baseUrl}\napi-key=${apiKey}\n`), output)
      const { inboxes } = await createClient({ baseUrl, apiKey }).inboxes.list()
      assert.deepEqual(inboxes, [])
    } finally {
      // In a job the runner ends it.
      process.kill(Number(processId), 'SIGKILL')
    }
  })

  it('says why it did not start in a job, also when another service has a port', async () => {
    const other = await startMayfly({ executable: mayfly })
    try {
      const busy = { HTTP_PORT: new URL(other.baseUrl).port, SMTP_PORT: String(other.smtp.port) }
      for (const name of ['HTTP_PORT', 'SMTP_PORT'] as const) {
        const given = await jobOf(mayfly, folder)
        const started = run(START, [], { env: { ...given, [name]: busy[name] } })
        await assert.rejects(started, {
          code: 1,
          stdout: new RegExp(`^::error::Mayfly did not start\\..+\n[^]*${busy[name]}`),
        })
        await assert.rejects(readFile(given.GITHUB_ENV), { code: 'ENOENT' })
      }
    } finally {
      await other.stop()
    }
  })

  // Where buildah is installed: it is no package of npm.
  for (const title of hasBuildah ? ['takes mail for any address in its image'] : []) {
    it(title, async () => {
      const container = await buildImage(mayfly, await mkdtemp(join(folder, 'image-')))
      const [http, smtp] = [await freePort(), await freePort()]
      const ports = { MAYFLY_HTTP_PORT: String(http), MAYFLY_SMTP_PORT: String(smtp) }
      const service = container.start({ MAYFLY_CATCH_ALL: 'open', ...ports })
      const ended = once(service, 'close')
      const url = `http://127.0.0.1:${http}`
      await until(async () =>
        (await fetch(`${url}/readyz`).catch(() => null))?.ok === true ? true : null,
      )
      await container.run('healthcheck', '--url', url)
      await sendMails(smtp, [{ to: 'ada@elsewhere.example', subject: 'Your code', text: '481516' }])
      const messages = await fetch(`${url}/api/v1/messages`)
      assert.match(await messages.text(), /"Subject":"Your code"/)
      service.kill('SIGTERM')
      await ended
      await assert.rejects(container.run('healthcheck', '--url', url))
      await container.dispose()
    })
  }
})
