import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { buildImage, hasBuildah } from '../testing-image.ts'
import type { Artifacts } from './artifacts.ts'

const run = promisify(execFile)

/** A way to run `mayfly`, with nothing of this repository. */
type Command = readonly [program: string, ...args: readonly string[]]

/**
 * Takes a mail to its code by `mayfly` in an empty folder, with the service of the first command
 * and each of them as a client; `also` runs while it serves.
 */
async function takeMailToCode(
  commands: readonly [Command, ...Command[]],
  folder: string,
  also: (service: { readonly url: string; readonly keyFile: string }) => Promise<void>,
): Promise<void> {
  const [[program, ...args]] = commands
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
    for (const [client, ...before] of commands) {
      const mayfly = async (...command: readonly string[]) => {
        const options = { cwd: folder, env: { ...env, MAYFLY_BASE_URL: url } }
        return (await run(client, [...before, ...command], options)).stdout
      }
      const version = await mayfly('--version')
      if (!VERSION.test(version)) throw new Error(`mayfly --version printed ${version}`)
      await mayfly('inbox', 'new')
      await mayfly('send', '--template', 'otp')
      const code = await mayfly('otp')
      if (!/^\d{6}\n$/.test(code)) throw new Error(`mayfly otp printed ${JSON.stringify(code)}`)
    }
    await also({ url, keyFile: join(folder, 'data', 'local-key') })
    service.kill('SIGTERM')
    const [status] = await ended
    if (status !== 0) throw new Error(`mayfly serve ended with ${status}`)
  } finally {
    service.kill('SIGKILL')
  }
}

/** Version, commit and date; a release is not made of changed files. */
const VERSION = /^\d+\.\d+\.\d+ \([0-9a-f]{12,}, \d{4}-\d\d-\d\d\)\n$/

async function readyLine(output: NodeJS.ReadableStream): Promise<{ readonly httpUrl: string }> {
  for await (const line of createInterface({ input: output })) {
    if (line.includes('"msg":"ready"')) {
      output.resume()
      return JSON.parse(line)
    }
  }
  throw new Error('mayfly serve did not become ready')
}

/** The executable alone, unpacked. */
export async function smokeExecutable(artifacts: Artifacts, folder: string): Promise<void> {
  await takeMailToCode([[await unpack(artifacts, folder)]], folder, async () => {})
}

/** Unpacks the executable of this machine; gives its path. */
async function unpack({ executables: [own] }: Artifacts, folder: string): Promise<string> {
  await run('tar', ['--extract', '--file', own, '--directory', folder])
  return join(folder, basename(own, '.tar.gz'), 'mayfly')
}

/** The image: its last stage, built by buildah without a registry. */
export async function smokeImage(artifacts: Artifacts, folder: string): Promise<void> {
  if (!hasBuildah) throw new Error('the image is not checked: install buildah')
  const container = await buildImage(await unpack(artifacts, folder), folder)
  try {
    const version = await container.run('--version')
    if (!VERSION.test(`${version}\n`)) throw new Error(`the image's --version printed ${version}`)
  } finally {
    await container.dispose()
  }
}

/** The packages run on the newest release of each of these. */
const NODES = [24, 22, 20]

/** The tarballs, installed by npm as a user does, on each Node. */
export async function smokeTarballs({ tarballs }: Artifacts, folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: folder })
  const nodes = await Promise.all(NODES.map((major) => fetchNode(major, folder)))
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
  const [first, ...others] = nodes.map((node): Command => [node, bin])
  if (first === undefined) throw new Error('there is no Node to try')
  await takeMailToCode([first, ...others], folder, async ({ url, keyFile }) => {
    for (const node of nodes) await run(node, ['smoke.js', url, keyFile], { cwd: folder })
  })
}

/** The newest release of a major version of Node, from its package; gives its path. */
async function fetchNode(major: number, folder: string): Promise<string> {
  const place = join(folder, `node-${major}`)
  await mkdir(place)
  const name = `node-${process.platform}-${process.arch}@${major}`
  const { stdout } = await run('npm', ['pack', name, '--silent'], { cwd: place })
  await run('tar', ['--extract', '--file', stdout.trim()], { cwd: place })
  return join(place, 'package', 'bin', 'node')
}

/** The wheels, installed by pip into an environment of their own. */
export async function smokeWheels(artifacts: Artifacts, folder: string): Promise<void> {
  await run('python3', ['-m', 'venv', join(folder, 'venv')])
  const python = join(folder, 'venv', 'bin', 'python')
  await run(python, ['-m', 'pip', 'install', '--quiet', ...artifacts.wheels])
  const suite = `
def test_inbox(inbox):
    assert inbox.email_address.endswith("@mayfly.test")
`
  await writeFile(join(folder, 'test_smoke.py'), suite)
  await takeMailToCode([[await unpack(artifacts, folder)]], folder, async ({ url, keyFile }) => {
    const apiKey = (await readFile(keyFile, 'utf8')).trim()
    const env = { MAYFLY_BASE_URL: url, MAYFLY_API_KEY: apiKey }
    await run(python, ['-m', 'pytest', '-q', 'test_smoke.py'], { cwd: folder, env })
  })
}
