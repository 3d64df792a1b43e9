/// <reference lib="esnext.disposable" preserve="true" />
// The import of programs that install this package: starts the service for a run of tests, and
// stops it, from this package, the executable or the image.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { registerAccount } from '@mayfly/client'
import { commandOf } from './start-command.ts'

/** The program to start, and its options. */
export type StartOptions = {
  /**
   * Path of the executable. Default without `image`: the variable `MAYFLY_EXECUTABLE`, then this
   * package on the Node that runs; before Node 24.8 the executable `mayfly` on the path.
   */
  readonly executable?: string
  /** Name of the image, such as `mayfly:0.1.0`. */
  readonly image?: string
  /** The program that runs images. Default: `docker`; `podman` works as well. */
  readonly containerRuntime?: string
  /** Settings of the service, such as `MAYFLY_DOMAINS`. Ports and storage are chosen here. */
  readonly settings?: Readonly<Record<string, string>>
  /** Longest time until the service is ready. Default: 30 seconds. */
  readonly timeoutSeconds?: number
}

/**
 * A service of a test run; its data is gone once it is stopped. `createClient` of `@mayfly/client`
 * takes it as its options.
 */
export type StartedMayfly = {
  readonly baseUrl: string
  /** A key without limits. */
  readonly apiKey: string
  /** Where the application under test sends to. */
  readonly smtp: { readonly host: string; readonly port: number }
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type Running = Omit<StartedMayfly, typeof Symbol.asyncDispose>

const LOOPBACK = '127.0.0.1'

/** Starts the service; stop it when the tests are done. */
export async function startMayfly(options: StartOptions = {}): Promise<StartedMayfly> {
  const running = await (options.image === undefined
    ? startProcess(options)
    : startContainer(options, options.image))
  return { ...running, [Symbol.asyncDispose]: running.stop }
}

async function startProcess(options: StartOptions): Promise<Running> {
  const [command, ...args] = commandOf(options, process)
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-'))
  const child = spawn(command, [...args, 'serve'], {
    cwd: folder,
    env: {
      ...withoutSettings(process),
      ...options.settings,
      MAYFLY_HTTP_PORT: '0',
      MAYFLY_SMTP_PORT: '0',
      MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
      // The line that says where it listens has this level.
      MAYFLY_LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test run that ends without `stop` leaves no process behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { httpUrl, smtpPort } = await ready(child, options)
    const apiKey = (await readFile(join(folder, 'local-key'), 'utf8')).trim()
    return { baseUrl: httpUrl, apiKey, smtp: { host: LOOPBACK, port: smtpPort }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The environment without the settings of another service, or of the client. */
function withoutSettings({ env }: { readonly env: NodeJS.ProcessEnv }) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MAYFLY_')))
}

type ReadyLine = { readonly httpUrl: string; readonly smtpPort: number }

/** Resolves with the line that reports readiness; rejects with the output. */
function ready(
  child: ChildProcess,
  { timeoutSeconds = 30 }: Pick<StartOptions, 'timeoutSeconds'>,
): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    const written: string[] = []
    const fail = (what: string) =>
      reject(new Error([`Mayfly did not start: ${what}`, ...written].join('\n')))
    const timer = setTimeout(
      () => fail(`not ready after ${timeoutSeconds} s`),
      timeoutSeconds * 1000,
    )
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) => fail(`it exited with ${code}`))
    child.once('close', () => clearTimeout(timer))
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) continue
      createInterface({ input: output }).on('line', (line) => {
        if (written.length < 50) written.push(line)
        if (!line.includes('"msg":"ready"')) return
        clearTimeout(timer)
        resolve(JSON.parse(line))
      })
    }
  })
}

async function startContainer(options: StartOptions, image: string): Promise<Running> {
  const { containerRuntime = 'docker', settings = {}, timeoutSeconds = 30 } = options
  const run = async (...args: readonly string[]) =>
    (await promisify(execFile)(containerRuntime, args)).stdout.trim()
  const given = Object.entries({ MAYFLY_DEFAULT_PLAN: 'unlimited', ...settings })
  const container = await run(
    'run',
    '--detach',
    '--rm',
    ...[8025, 1025].flatMap((port) => ['--publish', `${LOOPBACK}::${port}`]),
    ...given.flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
  )
  const stop = async () => {
    await run('stop', container)
  }
  try {
    const portOf = async (port: number) =>
      (await run('port', container, `${port}/tcp`)).split(':')[1]
    const baseUrl = `http://${LOOPBACK}:${await portOf(8025)}`
    await untilReady(baseUrl, timeoutSeconds)
    const { apiKey } = await registerAccount({ baseUrl, email: 'tests@example.com' })
    return { baseUrl, apiKey, smtp: { host: LOOPBACK, port: Number(await portOf(1025)) }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilReady(baseUrl: string, timeoutSeconds: number): Promise<void> {
  const deadline = performance.now() + timeoutSeconds * 1000
  for (;;) {
    const response = await fetch(`${baseUrl}/readyz`).catch(() => null)
    if (response?.ok === true) return
    if (performance.now() > deadline) {
      throw new Error(`Mayfly did not start: not ready after ${timeoutSeconds} s at ${baseUrl}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
