import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Artifacts } from './artifacts.ts'

const run = promisify(execFile)

/** A way to run `mayfly`, with nothing of this repository. */
type Command = readonly [program: string, ...args: readonly string[]]

/** Takes a mail to its code by `mayfly` in an empty folder; `also` runs while it serves. */
async function takeMailToCode(
  [program, ...args]: Command,
  folder: string,
  also: (service: { readonly url: string; readonly keyFile: string }) => Promise<void>,
): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: folder }
  const ports = { MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0' }
  const service = spawn(program, [...args, 'serve'], {
    cwd: folder,
    env: { ...env, ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  try {
    const { httpUrl: url } = await readyLine(service.stdout)
    const mayfly = async (...command: readonly string[]) => {
      const options = { cwd: folder, env: { ...env, MAYFLY_BASE_URL: url } }
      return (await run(program, [...args, ...command], options)).stdout
    }
    await mayfly('inbox', 'new')
    await mayfly('send', '--template', 'otp')
    const code = await mayfly('otp')
    if (!/^\d{6}\n$/.test(code)) throw new Error(`mayfly otp printed ${JSON.stringify(code)}`)
    await also({ url, keyFile: join(folder, 'data', 'local-key') })
    service.kill('SIGTERM')
    const [status] = await ended
    if (status !== 0) throw new Error(`mayfly serve ended with ${status}`)
  } finally {
    service.kill('SIGKILL')
  }
}

async function readyLine(output: NodeJS.ReadableStream): Promise<{ readonly httpUrl: string }> {
  for await (const line of createInterface({ input: output })) {
    if (line.includes('"msg":"ready"')) {
      output.resume()
      return JSON.parse(line)
    }
  }
  throw new Error('mayfly serve did not become ready')
}

/** The executable alone. */
export async function smokeExecutable({ executable }: Artifacts, folder: string): Promise<void> {
  await takeMailToCode([executable], folder, async () => {})
}

/** The tarballs, installed by npm as a user does. */
export async function smokeTarballs({ tarballs }: Artifacts, folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: folder })
  const bin = join(folder, 'node_modules', 'mayfly', 'bin', 'mayfly.js')
  const program = `
    import { readFileSync } from 'node:fs'
    import { createClient } from '@mayfly/client'
    const [, , baseUrl, keyFile] = process.argv
    const client = createClient({ baseUrl, apiKey: readFileSync(keyFile, 'utf8').trim() })
    const { inboxes } = await client.inboxes.list()
    await inboxes[0].waitForOtp()
  `
  await writeFile(join(folder, 'smoke.js'), program)
  await takeMailToCode([process.execPath, bin], folder, async ({ url, keyFile }) => {
    await run(process.execPath, ['smoke.js', url, keyFile], { cwd: folder })
  })
}

/** The wheels, installed by pip into an environment of their own. */
export async function smokeWheels(
  { wheels, executable }: Artifacts,
  folder: string,
): Promise<void> {
  await run('python3', ['-m', 'venv', join(folder, 'venv')])
  const python = join(folder, 'venv', 'bin', 'python')
  await run(python, ['-m', 'pip', 'install', '--quiet', ...wheels])
  const suite = `
def test_inbox(inbox):
    assert inbox.email_address.endswith("@mayfly.test")
`
  await writeFile(join(folder, 'test_smoke.py'), suite)
  await takeMailToCode([executable], folder, async ({ url, keyFile }) => {
    const apiKey = (await readFile(keyFile, 'utf8')).trim()
    const env = { MAYFLY_BASE_URL: url, MAYFLY_API_KEY: apiKey }
    await run(python, ['-m', 'pytest', '-q', 'test_smoke.py'], { cwd: folder, env })
  })
}
