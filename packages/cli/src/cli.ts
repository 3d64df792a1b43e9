import { commandList, nearestOf, optionsFirst } from './command.ts'
import { COMMANDS } from './commands.ts'
import { EXIT, reportFailure, UsageError } from './exit.ts'
import type { Terminal } from './terminal.ts'

const HELP = `mayfly: throw-away email inboxes for automated tests

Usage: mayfly COMMAND [options]

Commands:
${commandList(COMMANDS)}

\`mayfly COMMAND --help\` or \`mayfly help COMMAND\` shows the options of a command.

Exit codes: 0 passed, 1 failed, 2 usage error, 3 timed out, 130 interrupted.

Example:
  mayfly inbox new && mayfly send --template otp && mayfly otp
`

const HELP_NAMES: readonly string[] = ['help', '--help', '-h']

/** Runs a command line; returns the exit code. */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  try {
    await dispatch(args, terminal, version)
    return EXIT.passed
  } catch (error) {
    return reportFailure(terminal, error)
  }
}

async function dispatch(
  [name, ...args]: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<void> {
  const command = COMMANDS.find((known) => known.name === name)
  if (command !== undefined) return command.run(args, terminal)
  if (name === undefined || HELP_NAMES.includes(name)) {
    const topic = args.filter((arg) => !HELP_NAMES.includes(arg))
    if (topic.length > 0) return dispatch([...topic, '--help'], terminal, version)
    return terminal.out(terminal.withCommands(HELP))
  }
  if (name === '--version' || name === '-v') return terminal.out(`${version}\n`)
  const misplaced = optionsFirst([name, ...args], COMMANDS)
  if (misplaced !== null) throw new UsageError(misplaced)
  const nearest = nearestOf(name, [...COMMANDS.map((known) => known.name), '--help', '--version'])
  throw new UsageError(
    nearest === null
      ? `unknown command "${name}".\n\n${HELP}`
      : `unknown command "${name}". Did you mean \`mayfly ${nearest}\`?`,
  )
}
