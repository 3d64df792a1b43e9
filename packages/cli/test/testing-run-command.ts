import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { runCli } from '../src/cli.ts'
import { startedByNpx } from '../src/terminal.ts'

/** What a command said and how it ended. */
export type Outcome = { readonly code: number; readonly out: string; readonly err: string }

/** A person's place: an environment, a home folder, a terminal or not. */
export type Shell = AsyncDisposable & {
  readonly home: string
  /** Runs `mayfly` with these arguments. */
  run(...args: readonly string[]): Promise<Outcome>
  /** The same, until it is interrupted. */
  start(...args: readonly string[]): {
    readonly outcome: Promise<Outcome>
    /** Its standard input. */
    readonly input: Writable
    out(): string
    err(): string
    interrupt(): void
    /** As when the reader of its output ends. */
    closeOutput(): void
  }
}

/** How the place differs from a pipe without colours. */
export type ShellOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly isTerminal?: boolean
  /** Whether the command runs in a clone of the repository. */
  readonly isClone?: boolean
}

/** A place with a home folder of its own. */
export async function openShell({
  env = {},
  isTerminal = false,
  isClone = false,
}: ShellOptions = {}): Promise<Shell> {
  const home = await mkdtemp(join(tmpdir(), 'mayfly-home-'))
  const start: Shell['start'] = (...args) => {
    const input = new PassThrough()
    const written = { out: '', err: '' }
    const interruption = new AbortController()
    const closing = new AbortController()
    const terminal = {
      env: { HOME: home, ...env },
      isInteractive: isTerminal,
      isOutTerminal: isTerminal,
      hasColour: isTerminal,
      interrupted: interruption.signal,
      outputClosed: closing.signal,
      input,
      withCommands: isClone ? startedByNpx : (text: string) => text,
      out: (text: string | Uint8Array) => {
        written.out += typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
      },
      err: (text: string) => {
        written.err += text
      },
    }
    return {
      input,
      outcome: runCli(args, terminal, '1.2.3').then((code) => ({ code, ...written })),
      out: () => written.out,
      err: () => written.err,
      interrupt: () => interruption.abort(),
      closeOutput: () => closing.abort(),
    }
  }
  return {
    home,
    start,
    run: (...args) => start(...args).outcome,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}
