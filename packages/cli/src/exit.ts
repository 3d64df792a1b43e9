import { ApiError, EmailTimeoutError, MayflyError } from '@mayfly/client'
import type { Terminal } from './terminal.ts'

/** What the end of a command says to a script. */
export const EXIT = { passed: 0, failed: 1, misuse: 2, timedOut: 3, interrupted: 130 } as const

/** The command line makes no sense; the message says what would. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}

/** A command that came to a bad end; without a message when the output says it already. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Tells a person what went wrong; gives the exit code. */
export function reportFailure(terminal: Terminal, error: unknown): number {
  if (terminal.interrupted.aborted) return EXIT.interrupted
  const text = messageOf(error)
  if (text !== '') terminal.err(`mayfly: ${text}\n`)
  return exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailed) return error.exitCode
  if (error instanceof EmailTimeoutError) return EXIT.timedOut
  const isMisuse =
    error instanceof Misuse || (error instanceof ApiError && error.type === 'invalid_request')
  return isMisuse ? EXIT.misuse : EXIT.failed
}

/** What a person can act on in a sentence; our own bugs with their whole story. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isTold =
    error instanceof MayflyError || error instanceof Misuse || error instanceof CommandFailed
  // Files and sockets of the user's: the message names them, the stack only us.
  return isTold || 'code' in error ? error.message : (error.stack ?? error.message)
}
