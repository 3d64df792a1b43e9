import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { until } from '../packages/server/test/testing-until.ts'
import { type Installed, installPackages } from './build/installed.ts'
import { installTarballs } from './build/pack.ts'
import { PUBLISHED } from './build/stage.ts'
import { manifestMistakes, typeProblems } from './testing-tarball.ts'
import { wholeProgram } from './testing-whole-program.ts'

const ROOT = join(import.meta.dirname, '..')
/** Not minified: 10 KB when it is. */
const CLIENT_BYTES_MAX = 12.5 * 1024
const run = promisify(execFile)

/** A use of the client under strict rules, and mistakes that the types must see. */
const TYPED_USE = `
import { ApiError, createClient, EmailTimeoutError, verifyWebhook } from '@mayfly/client'
import type { Message } from '@mayfly/client'

const client = createClient({ apiKey: 'mf_test_key', timeoutSeconds: 20 })
const inbox = await client.inboxes.create({ ttlSeconds: 600 })
const message: Message = await inbox.waitForMessage({ subject: /verify/i, from: 'acme' })
const { value }: { readonly value: string } = await inbox.expectOtp(async () => {})
const event = await verifyWebhook(new Headers(), 'body', 'whsec_1')
try {
  await inbox.assert([{ type: 'auth', check: 'spf' }])
} catch (error) {
  if (error instanceof ApiError && error.code === 'inbox_not_found') error.requestId?.length
  if (error instanceof EmailTimeoutError) error.diagnostics.nextSteps.join()
}
export const seen: readonly unknown[] = [message.otp?.value, value, event.data.inbox.id]
// @ts-expect-error there is no such option
await inbox.waitForMessage({ subjekt: 'x' })
// @ts-expect-error there is no such assertion
await inbox.check([{ type: 'codePresent' }])
`

/** The same for the test frameworks. */
const TESTING_USE = `
import { defineConfig } from '@playwright/test'
import { addMayflyCommands, mayflyTasks } from '@mayfly/client/cypress'
import { expect as jestExpect, useInbox } from '@mayfly/client/jest'
import { expect as playwrightExpect, type MayflyOptions, test as playwrightTest } from '@mayfly/client/playwright'
import { expect as vitestExpect, test as vitestTest } from '@mayfly/client/vitest'
import { createClient } from '@mayfly/client'
import { startMayfly } from 'mayfly'

vitestTest('x', async ({ inbox, mayfly }) => {
  await vitestExpect(inbox).toReceiveEmail({ subject: /x/ })
  await vitestExpect(inbox).not.toReceiveEmail({ withinSeconds: 1 })
  for await (const { id } of mayfly.inboxes.list()) vitestExpect(id).toBe(inbox.id)
  // @ts-expect-error a text cannot receive mail
  await vitestExpect('text').toReceiveEmail()
})
playwrightTest('x', async ({ page, inbox }) => {
  await playwrightExpect(inbox).toReceiveOtp({ value: /^\\d{6}$/ })
  await playwrightExpect(page.getByText('x')).toBeVisible()
})
playwrightTest.use({ mayflyOptions: { timeoutSeconds: 5 } })
// @ts-expect-error there is no such option
playwrightTest.use({ mayflyOptions: { timeout: 5 } })
export const config = defineConfig<MayflyOptions>({ use: { mayflyOptions: { apiKey: 'x' } } })
// @ts-expect-error there is no such option
defineConfig<MayflyOptions>({ use: { mayflyOptions: { key: 'x' } } })
const inbox = useInbox()
await jestExpect(inbox()).toReceiveEmail()
jestExpect(1).toBe(1)
await using started = await startMayfly({ settings: { MAYFLY_DOMAINS: 'app.test' } })
createClient(started)
// @ts-expect-error there is no such option
await startMayfly({ binary: 'mayfly' })
export const used: readonly unknown[] = [addMayflyCommands, mayflyTasks()]
`

describe('the packages as they are published', () => {
  let folder = ''
  let installed = ''
  let tarballOf: Installed['tarballOf'] = () => ''
  /** A project outside the repository, whose packages it cannot load. */
  let project = ''

  before(async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    folder = await mkdtemp(join(ROOT, '.cache', 'packages-'))
    const packages = await installPackages()
    installed = packages.nodeModules
    tarballOf = packages.tarballOf
    await symlink(installed, join(folder, 'node_modules'))
    project = await mkdtemp(join(tmpdir(), 'mayfly-project-'))
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
    await installTarballs(PUBLISHED.map(tarballOf), project)
  })

  after(async () => {
    await rm(folder, { recursive: true, force: true })
    await rm(project, { recursive: true, force: true })
  })

  it('are two, and nothing else is installed with them', async () => {
    const names = await readdir(join(project, 'node_modules'))
    assert.deepEqual(
      names.filter((name) => !name.startsWith('.')),
      ['@mayfly', 'mayfly'],
    )
    assert.deepEqual(await readdir(join(project, 'node_modules', '@mayfly')), ['client'])
  })

  it('hold JavaScript and types, and no TypeScript', async () => {
    for (const name of ['@mayfly/client', 'mayfly']) {
      const files = await readdir(join(installed, name), { recursive: true })
      assert.deepEqual(
        files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file)),
        [],
      )
      assert.ok(files.includes('LICENSE'))
      // Its own, whose links lead somewhere from the registry.
      const readme = await readFile(join(installed, name, 'README.md'), 'utf8')
      assert.ok(readme.startsWith(`# ${name}\n`))
      assert.doesNotMatch(readme, /\]\((?!https:)/)
    }
    const licenses = await readFile(join(installed, 'mayfly', 'LICENSES.txt'), 'utf8')
    for (const text of ['fastify 5', 'mailauth 7', 'pg 8', 'nodemailer 10', 'preact 1']) {
      assert.ok(licenses.includes(text), text)
    }
  })

  it('have manifests without mistakes, and types', async () => {
    assert.deepEqual(await manifestMistakes(tarballOf('mayfly')), [])
    // A CommonJS program loads it by `import()`.
    const problems = await typeProblems(tarballOf('mayfly'))
    assert.deepEqual(
      problems.map((problem) => JSON.parse(problem).kind),
      ['CJSResolvesToESM'],
    )
  })

  it(`keep the client below ${CLIENT_BYTES_MAX} bytes compressed, and free of the contract`, async () => {
    const dist = join(installed, '@mayfly', 'client', 'dist')
    const files = await readdir(dist)
    // No page of a user loads what is for our own programs.
    const own = ['internal.js', 'provider-settings.js']
    const code = files.filter((file) => file.endsWith('.js') && !own.includes(file))
    const texts = await Promise.all(code.map((file) => readFile(join(dist, file), 'utf8')))
    const sizeBytes = gzipSync(texts.join('')).length
    assert.ok(sizeBytes < CLIENT_BYTES_MAX, `${sizeBytes} bytes`)
    const all = await Promise.all(
      files.filter((f) => /\.(?:js|ts)$/.test(f)).map((file) => readFile(join(dist, file), 'utf8')),
    )
    assert.ok(!/from '(?:zod|@mayfly\/contract|node:)/.test(all.join('\n')))
  })

  it('give types that compile under strict rules, in a page and in a test', async () => {
    const strict = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023' }
    const page = { ...strict, lib: ['es2023', 'dom'], types: [], skipLibCheck: false }
    const suite = { ...strict, types: ['node'], skipLibCheck: true }
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    for (const [name, use, compilerOptions] of [
      ['page', TYPED_USE, page],
      ['suite', TESTING_USE, suite],
    ] as const) {
      await writeFile(join(folder, `${name}.ts`), use)
      const config = join(folder, `tsconfig.${name}.json`)
      await writeFile(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
      const tsc = run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', config])
      await tsc.catch((error: { readonly stdout: string }) => assert.fail(error.stdout))
    }
  })

  it('name the Node that the server needs when started by an older one', async (test) => {
    const node = await systemNode()
    if (node.major >= 24) return test.skip(`the Node in PATH is ${node.version}`)
    const cli = join(project, 'node_modules', '.bin', 'mayfly')
    for (const [args, command] of [
      [['serve'], 'serve'],
      [['admin', 'accounts'], 'admin'],
    ] as const) {
      await assert.rejects(run(node.path, [cli, ...args]), {
        code: 1,
        stdout: '',
        stderr: `mayfly: \`mayfly ${command}\` needs Node 24.8 or newer, and this is ${node.version}. Install a newer one (https://nodejs.org) and put it first in PATH, or use the executable or the container image, which include one.\n`,
      })
    }
  })

  it('start the service for a run of tests', async () => {
    const program = `
      import { startMayfly } from 'mayfly'
      import { createClient } from '@mayfly/client'
      await using mayfly = await startMayfly()
      console.log((await createClient(mayfly).inboxes.create()).emailAddress)
    `
    await writeFile(join(project, 'start.js'), program)
    const { stdout } = await run(process.execPath, ['start.js'], { cwd: project })
    assert.match(stdout, /^\w+@mayfly\.test\n$/)
  })

  wholeProgram('the package', () => ({
    command: [process.execPath, join(project, 'node_modules', '.bin', 'mayfly')],
    user: {},
    openHome: () => mkdtemp(join(project, 'home-')),
  }))

  it('start the service and use it from the command line, on the oldest Node at hand', async (test) => {
    const node = await systemNode()
    test.diagnostic(`the command line runs on Node ${node.version}`)
    const cli = join(project, 'node_modules', '.bin', 'mayfly')
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MAYFLY_'))
    const env = { ...Object.fromEntries(inherited), HOME: folder, XDG_CONFIG_HOME: folder }
    // One thread of a kind starts as two do.
    const free = { MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0' }
    const server = spawn(process.execPath, [cli, 'serve'], {
      cwd: folder,
      env: { ...env, ...free },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(server, 'exit')
    try {
      const { httpUrl, smtpPort } = await readyLine(server.stdout)
      const mayfly = async (...args: readonly string[]) => {
        const own = { ...env, MAYFLY_SMTP_PORT: String(smtpPort) }
        return (await run(node.path, [cli, ...args], { env: own })).stdout
      }
      assert.match(await mayfly('signup', 'you@example.com', '--url', httpUrl), /mf_live_/)
      const address = (await mayfly('inbox', 'new')).trim()
      assert.match(
        await mayfly('send', '--template', 'link'),
        new RegExp(`^Sent to ${address}: 250`),
      )
      assert.match(
        await mayfly('wait', '--timeout', '10'),
        /^Subject +Confirm your email address$/m,
      )
      assert.match(await mayfly('inbox', 'list'), new RegExp(`^${address} `, 'm'))
      assert.match(await mayfly('search', 'confirm'), /Confirm your email address/)
      const key = (await readFile(join(folder, 'data', 'local-key'), 'utf8')).trim()
      const heard = mayfly('webhooks', 'listen', '--port', '0', '--count', '1', '--api-key', key)
      // Events go to the webhooks that an account has when the mail arrives.
      await until(async () => (await mayfly('webhooks', 'list', '--api-key', key)) || null)
      await mayfly('inbox', 'new', '--api-key', key)
      await mayfly('send', '--template', 'otp', '--api-key', key)
      assert.match(await heard, /^verified /)
      for (const path of ['/docs', '/openapi.json']) {
        assert.equal((await fetch(`${httpUrl}${path}`)).status, 200, path)
      }
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])
  })
})

/** The first Node in PATH outside the repository, which started `npm test`; or else our own. */
async function systemNode() {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const path =
    folders
      .filter((folder) => folder !== '' && !folder.startsWith(ROOT))
      .map((folder) => join(folder, 'node'))
      .find((file) => existsSync(file)) ?? process.execPath
  const version = (await run(path, ['--version'])).stdout.trim()
  return { path, version, major: Number.parseInt(version.slice(1), 10) }
}

async function readyLine(
  output: NodeJS.ReadableStream,
): Promise<{ readonly httpUrl: string; readonly smtpPort: number }> {
  for await (const line of createInterface({ input: output })) {
    if (line.includes('"msg":"ready"')) return JSON.parse(line)
  }
  throw new Error('the service ended before it was ready')
}
