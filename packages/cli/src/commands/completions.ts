import { type Command, defineCommand } from '../command.ts'
import { completionScript, SHELLS } from '../completions.ts'
import { Misuse } from '../exit.ts'

/** Prints completions for a shell; it is handed all commands, itself among them. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: 'completions',
    summary: `print completions for ${SHELLS.join(', ')}`,
    args: ['SHELL'],
    options: {},
    example: 'source <(mayfly completions bash)',
    run: async ({ args: [wanted], terminal }) => {
      const shell = SHELLS.find((known) => known === wanted)
      if (shell === undefined) throw new Misuse(`SHELL is one of ${SHELLS.join(', ')}.`)
      terminal.out(completionScript(shell, commands()))
    },
  })
}
