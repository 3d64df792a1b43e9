import { type Command, defineCommand } from '../command.ts'
import { completionScript, SHELLS } from '../completions.ts'
import { UsageError } from '../exit.ts'

/** Prints completions for a shell; `commands` are all commands, including this one. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completions',
    summary: `print shell completions for ${SHELLS.join(', ')}`,
    args: ['SHELL'],
    options: {},
    example: 'source <(mayfly completions bash)',
    run: async ({ args: [name], terminal }) => {
      const shell = SHELLS.find((known) => known === name)
      if (shell === undefined) throw new UsageError(`SHELL is one of ${SHELLS.join(', ')}.`)
      terminal.out(completionScript(shell, commands()))
    },
  })
}
