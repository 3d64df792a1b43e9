import type { Command } from '../command.ts'

/** Starts the service in this process. */
export const serve: Command = {
  name: 'serve',
  summary: 'start the service',
  // The server handles `--help` itself, as when it is started directly.
  run: async () => {
    await import('@mayfly/server/main')
  },
}
