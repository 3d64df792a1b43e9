import { CommandFailed } from './exit.ts'

/** The server's code, loaded only by the commands that need it: it is large. */
export type Server = typeof import('@mayfly/server')

/** `engines` of the server. The other commands run on Node 20.3. */
const NODE_MIN = { major: 24, minor: 8 } as const

/** Loads a part of the server for a command; says what to do where it cannot be loaded. */
export async function loadServer<T>(command: string, load: () => Promise<T>): Promise<T> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < NODE_MIN.major || (major === NODE_MIN.major && minor < NODE_MIN.minor)) {
    throw new CommandFailed(
      `\`mayfly ${command}\` needs Node ${NODE_MIN.major}.${NODE_MIN.minor} or newer, and this is ${process.version}. Install a newer one (https://nodejs.org) and put it first in PATH, or use the executable or the container image, which include one.`,
    )
  }
  try {
    return await load()
  } catch (error) {
    if (!isNotInstalled(error)) throw error
    throw new CommandFailed(
      'the package @mayfly/server is not installed: npm leaves it out where Node is too old, or where it was not installed together with @mayfly/cli. Run `npm run pack` in the folder of Mayfly, then `npm install FOLDER/dist/mayfly-*.tgz` here, with this Node.',
    )
  }
}

function isNotInstalled(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@mayfly/server'")
}
