import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const RECORDER = fileURLToPath(new URL('./recorder.ts', import.meta.url))

/**
 * Writes the code cache of each bundle of the stage: starts the service from the bundles, and takes
 * a mail to its code by the command line, so that the functions of both are in the caches.
 */
export async function writeCodeCaches(stage: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'mayfly-caches-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    STAGE: stage,
  }
  const start = (args: readonly string[], more: Readonly<Record<string, string>>) =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RECORDER, ...args], {
      cwd: home,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const service = start(['serve'], { MAYFLY_HTTP_PORT: '0', MAYFLY_SMTP_PORT: '0' })
  try {
    const { httpUrl } = await ready(service)
    const command = (...args: readonly string[]) =>
      ended(start(args, { MAYFLY_BASE_URL: httpUrl }), args)
    await command('inbox', 'new')
    await command('send', '--template', 'otp')
    await command('otp')
    await command('messages')
    await command('admin', 'accounts')
    for (const path of ['/', '/docs', '/openapi.json', '/readyz']) {
      const response = await fetch(`${httpUrl}${path}`, { headers: { accept: 'text/html' } })
      if (response.ok) continue
      throw new Error(`GET ${path} got ${response.status}: ${await response.text()}`)
    }
    service.kill('SIGTERM')
    await ended(service, ['serve'])
    await writeOthers(join(stage, 'bundles'))
  } finally {
    service.kill('SIGKILL')
    await rm(home, { recursive: true, force: true })
  }
}

/** Bundles that did not run are compiled as far as they are without running. */
async function writeOthers(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    const cache = join(folder, file.replace(/\.js$/, '.cache'))
    if (!file.endsWith('.js') || existsSync(cache)) continue
    const script = new Script(await readFile(join(folder, file), 'utf8'))
    await writeFile(cache, script.createCachedData())
  }
}

async function ready(service: ChildProcess): Promise<{ readonly httpUrl: string }> {
  if (service.stdout === null) throw new Error('standard output is not a pipe')
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.includes('"msg":"ready"')) {
      service.stdout.resume()
      return JSON.parse(line)
    }
  }
  throw new Error('the service did not start from the bundles')
}

async function ended(child: ChildProcess, args: readonly string[]): Promise<void> {
  child.stdout?.resume()
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  if (code !== 0) throw new Error(`mayfly ${args.join(' ')} ended with ${code} from the bundles`)
}
