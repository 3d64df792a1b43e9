import type { Config, Operator } from '@mayfly/server'
import { CommandFailed } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** The server's code, which everyday commands do without. */
export type Server = typeof import('@mayfly/server')

/** Does something with the server's code and its configuration; its refusals become ours. */
export async function withServer<T>(
  terminal: Terminal,
  work: (server: Server, config: Config) => Promise<T>,
): Promise<T> {
  const server = await import('@mayfly/server')
  try {
    return await work(server, server.parseConfig(terminal.env))
  } catch (error) {
    const isTold = error instanceof server.OperatorRefused || error instanceof server.StartRefused
    throw isTold ? new CommandFailed(error.message) : error
  }
}

/** Does something on the configured store, beside a running service or without one. */
export async function withOperator<T>(
  terminal: Terminal,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  return withServer(terminal, async (server, config) => {
    await using operator = await server.openOperator(config)
    return await work(operator)
  })
}
