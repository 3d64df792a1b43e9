import type { Readable } from 'node:stream'

/** Where a command reads its environment and its input, and writes its output. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether a person watches: progress is then shown. */
  readonly isInteractive: boolean
  /** Whether standard output is a terminal, and not a file or a program. */
  readonly isOutTerminal: boolean
  /** Whether standard output supports colours. */
  readonly hasColour: boolean
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal
  /** Aborted when the reader of standard output is gone, as after `| head -1`. */
  readonly outputClosed: AbortSignal
  /** A text for people, with the commands that it names as they are started here. */
  readonly withCommands: (text: string) => string
  /** Standard input. */
  readonly input: Readable
  /** Standard output: the result, which a program may read. */
  out(text: string | Uint8Array): void
  /** Standard error: progress, hints and errors, for people. */
  err(text: string): void
}

/** The terminal of a process. */
export function processTerminal(process: NodeJS.Process): Terminal {
  const { env, stdout, stderr } = process
  // Signals are handled from the first use on: `serve` never uses it and handles its own.
  let interruption: AbortController | null = null
  const closing = new AbortController()
  // Errors too, for the same reason.
  const handled = new Set<NodeJS.WriteStream>()
  const write = (stream: NodeJS.WriteStream, text: string | Uint8Array) => {
    if (!handled.has(stream)) {
      handled.add(stream)
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error
        if (stream === stdout) closing.abort()
      })
    }
    stream.write(text)
  }
  return {
    env,
    isInteractive: stderr.isTTY === true,
    isOutTerminal: stdout.isTTY === true,
    hasColour: hasColour(env, stdout.isTTY === true),
    get interrupted() {
      if (interruption === null) {
        const controller = new AbortController()
        process.once('SIGINT', () => controller.abort())
        process.once('SIGTERM', () => controller.abort())
        interruption = controller
      }
      return interruption.signal
    },
    outputClosed: closing.signal,
    withCommands: import.meta.url.endsWith('.ts') ? startedByNpx : (text) => text,
    // Opened when it is used.
    get input() {
      return process.stdin
    },
    out: (text) => write(stdout, text),
    err: (text) => write(stderr, text),
  }
}

/** In a clone of the repository, `mayfly` is not in PATH. */
export function startedByNpx(text: string): string {
  return text.replace(/(?<=^|[\s`(])mayfly(?= [a-z]|$| COMMAND)/gm, 'npx mayfly')
}

/** By the conventions of NO_COLOR and FORCE_COLOR. */
function hasColour(env: Terminal['env'], isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
