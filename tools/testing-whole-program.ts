import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { createInternalClient } from '@mayfly/client/internal'
import { onEachDatabase } from '../packages/server/test/testing-databases.ts'
import { RED_BLUE } from '../packages/server/test/testing-images.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'

const run = promisify(execFile)

/** A built program, with nothing of this repository. */
export type BuiltProgram = {
  /** What starts `mayfly`. */
  readonly command: readonly [string, ...string[]]
  /** Who runs it. */
  readonly user: { readonly uid?: number; readonly gid?: number }
  /** Makes an empty folder to run it in. */
  openHome(): Promise<string>
}

/** Packages that must not be loaded: anybody may have put them into the folder. */
async function plantPackages(folder: string): Promise<void> {
  for (const name of ['mailauth', 'nodemailer', 'pg', 'undici', '@mayfly/server']) {
    const place = join(folder, 'node_modules', name)
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'index.js'), "throw new Error('loaded from the folder')")
  }
}

/** Starts the service in a folder, with nothing else in its environment, not even a PATH. */
async function serve(
  { command: [program, ...args], user }: BuiltProgram,
  home: string,
  settings: Readonly<Record<string, string>>,
) {
  const child = spawn(program, [...args, 'serve'], {
    ...user,
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

/** Tests of everything that a build may leave out. */
export function wholeProgram(name: string, program: () => BuiltProgram): void {
  onEachDatabase(name, (createDatabase) => {
    it('takes a mail to its code, by every thread and every package that it has', async () => {
      await using database = await createDatabase()
      await takeMailToCode(program(), database.url)
    })
  })

  it('composes mails and decodes images', () => decodeImages(program()))
}

async function takeMailToCode(built: BuiltProgram, databaseUrl: string): Promise<void> {
  const [file, ...before] = built.command
  const home = await built.openHome()
  await plantPackages(home)
  await using service = await serve(built, home, {
    ...(databaseUrl.startsWith('sqlite:') ? {} : { MAYFLY_DATABASE_URL: databaseUrl }),
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
    return (await run(file, [...before, ...args], { ...built.user, cwd: home, env })).stdout
  }
  await command('healthcheck', '--url', httpUrl)
  const { apiKey } = JSON.parse(await command('signup', 'you@example.com', '--json'))
  const address = (await command('inbox', 'new')).trim()
  await command('send', '--template', 'otp')
  assert.match(await command('otp'), /^\d{6}\n$/)

  const client = createInternalClient({ baseUrl: httpUrl, apiKey })
  const inbox = (await client.inboxes.list()).inboxes.find(
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
  const { authorizationUrl } = await client.internal.connectAccount()
  assert.match(authorizationUrl, /^https?:/)
  await assert.rejects(client.domains.register('co.uk'), { status: 400 })
  await checkPages(httpUrl)
  assert.equal(await service.stop(), 0)
  assert.deepEqual(
    service.log.filter((line) => !line.includes('"level":"info"')),
    [],
  )
}

async function checkPages(httpUrl: string): Promise<void> {
  for (const [path, text] of [
    ['/', 'main-'],
    ['/docs', '<script type="module">'],
    ['/docs/webhooks.md', '# Webhooks'],
    ['/llms.txt', '# Mayfly'],
    ['/openapi.json', '"3.1'],
    ['/metrics', 'nodejs_version_info'],
  ] as const) {
    const response = await fetch(`${httpUrl}${path}`, { headers: { accept: 'text/html' } })
    const body = await response.text()
    assert.ok(body.includes(text), `${path}: ${body.slice(0, 200)}`)
  }
}

async function decodeImages(built: BuiltProgram): Promise<void> {
  await using service = await serve(built, await built.openHome(), { MAYFLY_CATCH_ALL: 'on' })
  const { interlacedPaletteOf2BitsPng, progressiveJpeg, lossyWebp } = RED_BLUE
  const Attachments = [
    { Filename: 'a.png', Content: interlacedPaletteOf2BitsPng.toString('base64') },
    { Filename: 'a.jpg', Content: progressiveJpeg.toString('base64') },
    { Filename: 'a.webp', Content: lossyWebp.toString('base64') },
    { Filename: 'a.pdf', Content: Buffer.from('%PDF-1.7').toString('base64') },
  ]
  const body = { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Attachments }
  const api = `${service.httpUrl}/api/v1`
  const sent = await fetch(`${api}/send`, { method: 'POST', body: JSON.stringify(body) })
  assert.equal(sent.status, 200)
  const [png, jpeg, webp, white] = await Promise.all(
    Attachments.map(async (_, index) => {
      const response = await fetch(`${api}/message/latest/part/${index + 1}/thumb`)
      assert.equal(response.headers.get('content-type'), 'image/jpeg')
      return Buffer.from(await response.arrayBuffer())
    }),
  )
  assert.notDeepEqual(png, white)
  assert.notDeepEqual(jpeg, white)
  assert.notDeepEqual(webp, white)
  assert.equal(await service.stop(), 0)
}
