import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** As `npm start` starts it; tools/test.ts has built it. */
const MAIN = fileURLToPath(new URL('../../../dist/program/main.js', import.meta.url))

/** The line that says that both listeners accept. */
export type ReadyLine = { readonly httpUrl: string; readonly smtpPort: number }

/** The server as its own process, as an operator runs it. */
export type ServerProcess = AsyncDisposable & {
  readonly child: ChildProcess
  /** Everything that it wrote so far. */
  output(): string
  /** Resolves with the ready line; rejects when it ends before. */
  readonly ready: Promise<ReadyLine>
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

/** For tests that start the same service again after a kill; no DNS server answers. */
export const STARTED_AGAIN = {
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  MAYFLY_LOG_LEVEL: 'info',
  MAYFLY_DNS_SERVERS: '127.0.0.1:9',
} as const

/** Starts the server with these variables and no other `MAYFLY_*`. */
export function startServerProcess(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): ServerProcess {
  const child = spawnServer([...nodeArgs, MAIN, ...args], env, 'pipe')
  if (child.stdout === null || child.stderr === null) throw new Error('its output is no pipe')
  const { stdout, stderr } = child
  const lines: string[] = []
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const ready = new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      lines.push(line)
      if (line.includes('"msg":"ready"')) resolve(JSON.parse(line))
    })
    createInterface({ input: stderr }).on('line', (line) => lines.push(line))
    ended.then((code) => reject(new Error(`ended with ${code}:\n${lines.join('\n')}`)))
  })
  // Only who waits for readiness wants to hear that it never came.
  ready.catch(() => {})
  return {
    child,
    output: () => lines.join('\n'),
    ready,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The server as its own process whose standard output is this; nobody reads it. */
export function startUnreadServer(
  env: Readonly<Record<string, string>>,
  stdout: 'pipe' | number,
): Pick<ServerProcess, 'child' | 'ended'> & AsyncDisposable {
  const child = spawnServer([MAIN], env, stdout)
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    child,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function spawnServer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdout: 'pipe' | number,
): ChildProcess {
  if (!existsSync(MAIN)) throw new Error('The server is not built: run node tools/setup.mjs')
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MAYFLY_'))
  return spawn(process.execPath, args, {
    env: {
      ...Object.fromEntries(inherited),
      MAYFLY_HTTP_PORT: '0',
      MAYFLY_SMTP_PORT: '0',
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
  })
}
