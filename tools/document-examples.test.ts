import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chmod, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { sharedService } from '../packages/server/test/testing-start-service.ts'
import { type Example, readExamples } from './document-examples.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const PYTHON = join(ROOT, 'node_modules', '.mayfly-python-client', 'bin', 'python')

const EXAMPLES = globSync('docs/**/*.md', { cwd: ROOT })
  .sort()
  .flatMap((file) => readExamples(ROOT, file))
  .filter(({ language }) => ['sh', 'ts', 'js', 'python'].includes(language))
const UNMARKED = EXAMPLES.filter(({ mark }) => mark === null)

const inLanguages = (...languages: readonly string[]): readonly Example[] =>
  UNMARKED.filter(({ language }) => languages.includes(language))

/** What a test that uses the client has around it. */
const CLIENT_WORLD = `import type { Client, Inbox, Message } from '@mayfly/client'
declare global {
  const mayfly: Client
  const inbox: Inbox
  const message: Message
  function signUp(emailAddress: string): Promise<void>
  function startApplication(settings: { smtpPort: number }): void
  const nodemailer: typeof import('nodemailer')
  function test(name: string, run: () => Promise<void>): void
}
`

const PYTHON_WORLD = `import smtplib
from email.message import EmailMessage
from typing import Any
import pytest
from mayfly import *
def sign_up(email_address: str) -> Any: ...
def verify(email_address: str, code: str) -> Any: ...
message: Any
request: Any
secret: str
inbox: Inbox
mayfly: Mayfly
`

describe('the examples of the documents', () => {
  // For the links of its own that a mail has.
  const service = sharedService(undefined, { MAYFLY_ALLOW_PRIVATE_NETWORK: 'true' })

  it('are run here or by the test that their comment names, or say why not', async () => {
    assert.ok(EXAMPLES.length > 20)
    for (const { place, mark } of EXAMPLES.filter(({ mark }) => mark !== null)) {
      const test = /^run by (\S+)$/.exec(mark ?? '')?.[1]
      if (test === undefined) {
        assert.match(mark ?? '', /^not run: \S+ \S+/, place)
        continue
      }
      assert.ok(existsSync(join(ROOT, test)), `${place}: there is no ${test}`)
      const reader = await readFile(join(ROOT, test), 'utf8')
      assert.ok(reader.includes(basename(place.split(':')[0] ?? '')), `${test} does not read it`)
    }
  })

  it('in the README are run by readme.test.ts, but for those that install or test', () => {
    const shells = readExamples(ROOT, 'README.md').filter(({ language }) => language === 'sh')
    for (const { place, code } of shells) {
      const isRun = /^npx mayfly |^export |\bcurl /m.test(code)
      const isSetUp = /^(?:(?:git|cd|npm|cp|docker|\.\/mayfly)\b.*\n)+$/.test(code)
      assert.ok(isRun || isSetUp, `${place}: packages/cli/test/readme.test.ts does not run it`)
    }
  })

  it('in TypeScript and JavaScript fit the types of the client', async () => {
    await using folder = await openFolder()
    const readmes = ['README.md', 'packages/client/README.md', 'packages/cli/README.md']
    const readme = readmes
      .flatMap((file) => readExamples(ROOT, file))
      .filter(({ language }) => language === 'ts')
    const compilerOptions = { allowJs: true, checkJs: true, noImplicitAny: false }
    const lax = { noUnusedLocals: false, noUnusedParameters: false, lib: ['esnext', 'dom'] }
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { ...compilerOptions, ...lax },
      include: ['*'],
    }
    await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(folder.path, 'world.d.ts'), CLIENT_WORLD)
    for (const { place, language, code } of [...readme, ...inLanguages('ts', 'js')]) {
      const name = place.replaceAll(/\W/g, '-')
      await writeFile(join(folder.path, `${name}.${language}`), `${code}\nexport {}\n`)
    }
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['--project', folder.path]).catch(said)
  })

  it('of node-test.md pass as a test', async () => {
    const { httpUrl, smtpPort, register } = await service()
    const { key } = await register()
    const whole = EXAMPLES.find(({ code }) => code.startsWith('// signup.test.mjs'))
    await using folder = await openFolder()
    const file = join(folder.path, 'signup.test.mjs')
    await writeFile(file, String(whole?.code).replace('port: 1025', `port: ${smtpPort}`))
    const { stdout } = await run(process.execPath, ['--test', file], { env: client(httpUrl, key) })
    assert.match(stdout, /^ℹ pass 1$/m)
  })

  it('in Python fit the types of its client', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-examples-'))
    for (const { place, code } of inLanguages('python')) {
      const name = place.replaceAll(/\W/g, '_')
      await writeFile(join(folder.path, `${name}.py`), PYTHON_WORLD + code)
    }
    const packages = ['mayfly', 'pytest-mayfly'].map((name) =>
      join(ROOT, 'clients', 'python', name, 'src'),
    )
    const env = { ...process.env, MYPYPATH: packages.join(':') }
    const cache = join(ROOT, 'node_modules', '.cache', 'mypy-examples')
    const args = ['-m', 'mypy', '--check-untyped-defs', '--cache-dir', cache, folder.path]
    await run(PYTHON, args, { env }).catch(said)
  })

  for (const { place, code } of inLanguages('sh')) {
    it(`${place} runs as written`, async () => {
      const { httpUrl, smtpPort, register, sendMail } = await service()
      const { key, inboxes } = await register()
      const inbox = await inboxes.create()
      await sendMail({ to: inbox.emailAddress, raw: mail('') })
      await using folder = await mkdtempDisposable(join(tmpdir(), 'mayfly-examples-'))
      const file = async (name: string, text: string) => {
        await writeFile(join(folder.path, name), text)
        await chmod(join(folder.path, name), 0o755)
      }
      // What a reader has: an application to sign up at, and no packages to install.
      const page = `${httpUrl}/livez?to=/verify`
      await file('mail.eml', mail(page))
      const curl = `curl -sS smtp://127.0.0.1:${smtpPort} --mail-from app@example.com`
      await file('sign-up.sh', `#!/bin/sh\n${curl} --mail-rcpt "$1" -T mail.eml\n`)
      await file('npx', '#!/bin/sh\nexec "$@"\n')
      const path = [folder.path, join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(':')
      const script = code.replaceAll('http://127.0.0.1:8025', httpUrl)
      const smtp = { MAYFLY_SMTP_HOST: '127.0.0.1', MAYFLY_SMTP_PORT: String(smtpPort) }
      await run('sh', ['-ec', script], {
        cwd: folder.path,
        env: { HOME: folder.path, PATH: path, KEY: key, ...smtp, ...client(httpUrl, key) },
      }).catch(said)
    })
  }
})

/** An empty folder within the repository, where the packages are found. */
async function openFolder() {
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  return await mkdtempDisposable(join(ROOT, '.cache', 'examples-'))
}

const client = (url: string, key: string) => ({ MAYFLY_BASE_URL: url, MAYFLY_API_KEY: key })

/** A mail that the searches and checks of the documents find. */
const mail = (link: string) => `From: Acme <no-reply@acme.example>\r
Subject: Please reset your password\r
Content-Type: text/html\r
\r
<p>Welcome. Your verification code is 481516.</p>
<a href="https://app.example.com/reset">Reset</a> ${link && `<a href="${link}">Verify</a>`}\r
`

/** Fails with what the program said. */
function said({ message, stdout }: { readonly message: string; readonly stdout: string }): never {
  assert.fail(`${message}\n${stdout}`)
}
