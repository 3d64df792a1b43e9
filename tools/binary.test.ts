import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { createClient } from '@mayfly/client'
import { startMayfly } from '@mayfly/client/testing'
import { onEachDatabase } from '../packages/server/test/testing-databases.ts'
import { freePort } from '../packages/server/test/testing-free-port.ts'
import { RED_BLUE } from '../packages/server/test/testing-images.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { buildExecutable } from './build/binary/executable.ts'
import { kept } from './build/kept.ts'

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

/** Packages that must not be loaded: anybody may have put them into the folder. */
async function plantPackages(folder: string): Promise<void> {
  for (const name of ['mailauth', 'nodemailer', 'pg', 'undici', '@mayfly/server']) {
    const place = join(folder, 'node_modules', name)
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'index.js'), "throw new Error('loaded from the folder')")
  }
}

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

  async function serve(home: string, settings: Readonly<Record<string, string>>) {
    const child = spawn(mayfly, ['serve'], {
      ...USER,
      cwd: home,
      env: { HOME: home, MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
    const log: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
    const ready = Promise.withResolvers<{ readonly httpUrl: string; readonly smtpPort: number }>()
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line)
      if (line.includes('"msg":"ready"')) ready.resolve(JSON.parse(line))
    })
    ended.then((code) => ready.reject(new Error(`ended with ${code}:\n${log.join('\n')}`)))
    return {
      ...(await ready.promise),
      log,
      stop: async () => {
        child.kill('SIGTERM')
        return ended
      },
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL')
        await ended
      },
    }
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
    assert.match((await command('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
    const unreachable = command('healthcheck', '--url', 'http://127.0.0.1:9')
    await assert.rejects(unreachable, { code: 1, stderr: /^mayfly: http:\/\/127\.0\.0\.1:9.*\n$/ })
    // As the executable is called, and not `npx mayfly` as in a clone.
    await assert.rejects(command('inboxx'), { code: 2, stderr: /Did you mean `mayfly inbox`/ })
    assert.deepEqual(await readdir(home), [])
  })

  onEachDatabase('the executable', (createDatabase) => {
    it('takes a mail to its code, by every thread and every package that it has', async () => {
      await using database = await createDatabase()
      const home = await openHome()
      await plantPackages(home)
      await using service = await serve(home, {
        ...(database.url.startsWith('sqlite:') ? {} : { MAYFLY_DATABASE_URL: database.url }),
        MAYFLY_SMTP_THREADS: '2',
        MAYFLY_METRICS: 'true',
        MAYFLY_SECRET_KEY: '00'.repeat(32),
        MAYFLY_DEFAULT_PLAN: 'unlimited',
        MAYFLY_ALLOW_PRIVATE_NETWORK: 'true',
        // Sender checks are made, and fail at once.
        MAYFLY_DNS_SERVERS: '127.0.0.1:9',
        MAYFLY_GITHUB_CLIENT_ID: 'id',
        MAYFLY_GITHUB_CLIENT_SECRET: 'secret',
      })
      const { httpUrl, smtpPort } = service
      const command = async (...args: readonly string[]) => {
        const env = { HOME: home, MAYFLY_BASE_URL: httpUrl }
        return (await run(mayfly, args, { ...USER, cwd: home, env })).stdout
      }
      await command('healthcheck', '--url', httpUrl)
      const { apiKey } = JSON.parse(await command('signup', 'you@example.com', '--json'))
      const address = (await command('inbox', 'new')).trim()
      await command('send', '--template', 'otp')
      assert.match(await command('otp'), /^\d{6}\n$/)

      const client = createClient({ baseUrl: httpUrl, apiKey })
      const inbox = (await client.inboxes.list()).find(
        ({ emailAddress }) => emailAddress === address,
      )
      assert.ok(inbox !== undefined)
      const html = `<p>Hello</p><script>1</script><a href="${httpUrl}/livez">x</a>`
      const large = `Subject: large\r\nContent-Type: text/html\r\n\r\n${html}${'<p>x</p>\r\n'.repeat(40_000)}`
      await sendMails(smtpPort, [{ to: address, raw: large }])
      const message = await inbox.waitForMessage({ subject: 'large' })
      assert.ok(message.html?.startsWith('<p>Hello</p><a href='))
      const report = await inbox.check([
        { type: 'linkResponds', urlContains: '/livez' },
        { type: 'auth', check: 'spf', expect: 'temperror' },
      ])
      assert.deepEqual(
        report.results.filter(({ passed }) => !passed),
        [],
      )
      const { authorizationUrl } = await client.account.connect()
      assert.match(authorizationUrl, /^https?:/)
      await assert.rejects(client.domains.register('co.uk'), { status: 400 })
      for (const [path, text] of [
        ['/', 'main-'],
        ['/docs', '<script type="module">'],
        ['/docs/webhooks.md', '# Webhooks'],
        ['/openapi.json', '"3.1'],
        ['/metrics', 'nodejs_version_info'],
      ] as const) {
        const response = await fetch(`${httpUrl}${path}`, { headers: { accept: 'text/html' } })
        const body = await response.text()
        assert.ok(body.includes(text), `${path}: ${body.slice(0, 200)}`)
      }
      assert.equal(await service.stop(), 0)
      assert.deepEqual(
        service.log.filter((line) => !line.includes('"level":"info"')),
        [],
      )
    })
  })

  it('composes mails and decodes images', async () => {
    await using service = await serve(await openHome(), { MAYFLY_CATCH_ALL: 'on' })
    const { progressiveJpeg, lossyWebp } = RED_BLUE
    const Attachments = [
      { Filename: 'a.jpg', Content: progressiveJpeg.toString('base64') },
      { Filename: 'a.webp', Content: lossyWebp.toString('base64') },
      { Filename: 'a.pdf', Content: Buffer.from('%PDF-1.7').toString('base64') },
    ]
    const body = { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Attachments }
    const api = `${service.httpUrl}/api/v1`
    const sent = await fetch(`${api}/send`, { method: 'POST', body: JSON.stringify(body) })
    assert.equal(sent.status, 200)
    const [jpeg, webp, white] = await Promise.all(
      Attachments.map(async (_, index) => {
        const response = await fetch(`${api}/message/latest/part/${index + 1}/thumb`)
        assert.equal(response.headers.get('content-type'), 'image/jpeg')
        return Buffer.from(await response.arrayBuffer())
      }),
    )
    assert.notDeepEqual(jpeg, white)
    assert.notDeepEqual(webp, white)
    assert.equal(await service.stop(), 0)
  })

  it('is started for a test run by startMayfly()', async () => {
    const started = await startMayfly({ executable: mayfly })
    assert.deepEqual(await started.client.inboxes.list(), [])
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
      assert.deepEqual(await createClient({ baseUrl, apiKey }).inboxes.list(), [])
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
})
