import { CommandFailed } from './exit.ts'

/** The server's code, loaded only by the commands that need it: it is large. */
export type Server = typeof import('@mayfly/server')

/** The Node version of the server. The other commands run on Node 20.3. */
const NODE_MIN = { major: 24, minor: 8 } as const

/** Whether a version of Node can run the server. */
export function canRunServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor)
}

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
