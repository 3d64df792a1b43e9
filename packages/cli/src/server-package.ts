import { CommandFailed } from './exit.ts'
import { canRunServer, NODE_MIN } from './server-node.ts'

/** The server's code, loaded only by the commands that need it: it is large. */
export type Server = typeof import('@mayfly/server')

/**
 * Loads a part of the server for a command; the error for a Node that is too old says what to do.
 */
export async function loadServer<T>(command: string, load: () => Promise<T>): Promise<T> {
  if (!canRunServer(process.versions.node)) {
    throw new CommandFailed(
      `\`mayfly ${command}\` needs Node ${NODE_MIN.major}.${NODE_MIN.minor} or newer, and this is ${process.version}. Install a newer one (https://nodejs.org) and put it first in PATH, or use the executable or the container image, which include one.`,
    )
  }
  return load()
}
