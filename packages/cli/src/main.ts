#!/usr/bin/env node
import { COMMANDS, type Command } from './commands.ts'

const HELP = `mayfly: throw-away email inboxes for automated tests

Usage: mayfly COMMAND [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

\`mayfly COMMAND --help\` tells more about each.
`

/** Exit code for a command line that makes no sense. */
const MISUSE = 2

const [name, ...args] = process.argv.slice(2)
const command: Command | undefined = COMMANDS.find((known) => known.name === name)
if (command !== undefined) {
  await command.run(args)
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  console.log(HELP)
} else {
  console.error(`mayfly: there is no command "${name}".\n\n${HELP}`)
  process.exitCode = MISUSE
}
