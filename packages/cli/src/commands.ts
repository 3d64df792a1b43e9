/** One command of the command line. */
export type Command = {
  readonly name: string
  readonly summary: string
  readonly run: (args: readonly string[]) => Promise<void>
}

/** Every command, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'start the service',
    // The server reads its own help from the arguments, as it does when started by itself.
    run: async () => {
      await import('@mayfly/server/main')
    },
  },
]
