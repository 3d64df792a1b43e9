import { ApiError, ConnectionError, EmailTimeoutError, MayflyError } from '@mayfly/client'
import type { Terminal } from './terminal.ts'

/** Exit codes of every command. */
export const EXIT = { passed: 0, failed: 1, usage: 2, timedOut: 3, interrupted: 130 } as const

/** The command line is invalid; the message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A command failed; the message is empty when its output has the reason. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Reports an error on standard error; returns the exit code. */
export function reportFailure(terminal: Terminal, error: unknown): number {
  if (terminal.interrupted.aborted) return EXIT.interrupted
  const text = messageOf(error)
  if (text !== '') terminal.err(`mayfly: ${terminal.withCommands(text)}\n`)
  return exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailed) return error.exitCode
  if (error instanceof EmailTimeoutError) return EXIT.timedOut
  const isUsageError =
    error instanceof UsageError ||
    fileError(error) !== null ||
    (error instanceof ApiError && error.type === 'invalid_request')
  return isUsageError ? EXIT.usage : EXIT.failed
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
}

/** The sentence for a file that the user named and that cannot be read; null for other errors. */
function fileError(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null
  const reason = FILE_ERRORS[String(error.code)]
  return reason === undefined ? null : `${error.path} cannot be read: ${reason}.`
}

/** One sentence for an error that a user can correct; one line to report for a bug of ours. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const ofFile = fileError(error)
  if (ofFile !== null) return ofFile
  // The client speaks of its own option.
  if (error instanceof ConnectionError) return error.message.replace('option baseUrl', '--url')
  const isForUser =
    error instanceof MayflyError || error instanceof UsageError || error instanceof CommandFailed
  // Errors of files and sockets have a code, and a message that names the file or address.
  if (isForUser || 'code' in error) return error.message
  const [place = ''] = /\([^()]*:\d+:\d+\)/.exec(error.stack ?? '') ?? []
  return `${error.name}: ${error.message} ${place}\nThis is a bug in mayfly. Please report it with the command that you ran.`
}
