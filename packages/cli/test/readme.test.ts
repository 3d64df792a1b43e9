import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createSqlite } from '../../server/test/testing-databases.ts'
import { startService } from '../../server/test/testing-start-service.ts'
import { openShell } from './testing-run-command.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** The blocks of code of this language in the README, in their order. */
async function blocksOf(language: string): Promise<readonly string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  return [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code ?? '')
}

describe('the first five minutes of the README', () => {
  it('run as written, with the command line', async () => {
    await using service = await startService({ hasLocalAccount: true })
    const env = { MAYFLY_BASE_URL: service.httpUrl, MAYFLY_SMTP_PORT: String(service.smtpPort) }
    await using shell = await openShell({ env })
    const blocks = await blocksOf('sh')
    const lines = blocks.flatMap((block) => block.match(/^npx mayfly .*$/gm) ?? [])
    assert.ok(lines.length >= 4)
    const said: string[] = []
    for (const line of lines) {
      const args = line
        .replace(/\s+#.*$/, '')
        .split(/\s+/)
        .slice(2)
      const { code, out, err } = await shell.run(...args)
      assert.equal(code, 0, `${line}\n${err}`)
      said.push(out)
    }
    const [address = '', sent = '', code = ''] = said
    assert.match(sent, new RegExp(`^Sent to ${address.trim()}: 250`))
    assert.match(code, /^\d{6}\n$/)
  })

  it('run as written, with curl', async () => {
    await using database = await createSqlite()
    await using service = await startService({ database, hasLocalAccount: true })
    const folder = dirname(database.url.slice('sqlite:'.length))
    const blocks = (await blocksOf('sh')).filter((block) => /^export |\bcurl /m.test(block))
    const env: Record<string, string | undefined> = { ...process.env }
    const outputs: string[] = []
    const run = async (script: string) => {
      const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env })
      return stdout
    }
    for (const block of blocks) {
      const [, name, command] = /^export (\w+)=\$\((.+)\)$/m.exec(block) ?? []
      if (name !== undefined) {
        env[name] = (await run(String(command).replace('data/', `${folder}/`))).trim()
        const { account } = await service.account(String(env[name])).account.read()
        assert.equal(account.plan, 'unlimited')
        continue
      }
      const script = block
        .replaceAll('http://127.0.0.1:8025', service.httpUrl)
        .replaceAll('smtp://127.0.0.1:1025', `smtp://127.0.0.1:${service.smtpPort}`)
      outputs.push(await run(script))
    }
    const [created = '', sent = '', waited = '', asserted = ''] = outputs
    assert.equal(JSON.parse(created).inbox.emailAddress, 'signup@mayfly.test')
    assert.equal(sent, '')
    assert.equal(JSON.parse(waited).otp.value, '481516')
    assert.equal(JSON.parse(asserted).passed, true)
    assert.equal(outputs.length, 4)
  })

  it('run as written, with the client', async () => {
    await using service = await startService({ hasLocalAccount: true })
    const [program = ''] = await blocksOf('ts')
    await mkdir(join(ROOT, '.cache'), { recursive: true })
    const folder = await mkdtemp(join(ROOT, '.cache', 'readme-'))
    try {
      const file = join(folder, 'readme.ts')
      const sendMail = join(ROOT, 'packages', 'server', 'test', 'testing-send-mail.ts')
      await writeFile(
        file,
        `import { sendMails } from '${sendMail}'
const signUp = (to: string) =>
  sendMails(${service.smtpPort}, [{ to, text: 'Your verification code is 481516.' }])
${program}
process.stdout.write(code)
`,
      )
      const env = { ...process.env, MAYFLY_BASE_URL: service.httpUrl, MAYFLY_API_KEY: undefined }
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
      assert.equal(stdout, '481516')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
