import type { Command } from '../command.ts'

/** Starts the service in this process. */
export const serve: Command = {
  name: 'serve',
  summary: 'start the service',
  // The server reads its own help from the arguments, as it does when started by itself.
  run: async () => {
    await import('@mayfly/server/main')
  },
}
