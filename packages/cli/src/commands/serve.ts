import type { Command } from '../command.ts'
import { loadServer } from '../server-package.ts'

/** Starts the service in this process. */
export const serve: Command = {
  name: 'serve',
  summary: 'start the service',
  // The server handles `--help` itself, as when it is started directly.
  run: async () => {
    await loadServer('serve', () => import('@mayfly/server/main'))
  },
}
