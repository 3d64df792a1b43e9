import type { Config, Operator } from '@mayfly/server'
import { CommandFailed } from './exit.ts'
import { loadServer, type Server } from './server-package.ts'
import type { Terminal } from './terminal.ts'

/** Runs `work` with the server's code and configuration; a refusal fails the command. */
export async function withServer<T>(
  terminal: Terminal,
  work: (server: Server, config: Config) => Promise<T>,
): Promise<T> {
  const server = await loadServer('admin', () => import('@mayfly/server'))
  try {
    return await work(server, server.parseConfig(terminal.env))
  } catch (error) {
    if (error instanceof server.OperatorRefused || error instanceof server.StartRefused) {
      throw new CommandFailed(error.message)
    }
    // As when PostgreSQL ended a transaction because of a deadlock with the service.
    if (error instanceof server.StorageUnavailable) {
      const next = error.isUncertain
        ? 'The change may have been made: check before you run the command again.'
        : 'Run the command again.'
      throw new CommandFailed(`${error.message}. ${next}`)
    }
    throw error
  }
}

/** Runs `work` on the configured database, whether or not the service is running. */
export async function withOperator<T>(
  terminal: Terminal,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  return withServer(terminal, async (server, config) => {
    await using operator = await server.openOperator(config)
    return await work(operator)
  })
}
