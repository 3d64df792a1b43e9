import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Terminal } from './terminal.ts'

/** The file of `mayfly signup`: the key of each service, and the last service. */
export type Credentials = {
  readonly lastUrl: string | null
  readonly keys: Readonly<Record<string, { readonly apiKey: string; readonly email: string }>>
}

/** The file with the user's keys. */
function credentialsPath({ env }: Terminal): string {
  const config =
    env['XDG_CONFIG_HOME'] ?? env['APPDATA'] ?? join(env['HOME'] ?? homedir(), '.config')
  return join(config, 'mayfly', 'credentials.json')
}

/** The saved keys; none when there is no file yet. */
export async function readCredentials(terminal: Terminal): Promise<Credentials> {
  const path = credentialsPath(terminal)
  try {
    // Only this program writes the file.
    return JSON.parse(await readFile(path, 'utf8')) as Credentials
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) return { lastUrl: null, keys: {} }
    throw new Error(`${path} cannot be read. Delete it and sign up again.`, { cause: error })
  }
}

/** Saves a key in a file that only the user can read; returns the path. */
export async function saveKey(
  terminal: Terminal,
  url: string,
  key: { readonly apiKey: string; readonly email: string },
): Promise<string> {
  const { keys } = await readCredentials(terminal)
  return writeCredentials(terminal, { lastUrl: url, keys: { ...keys, [url]: key } })
}

/** Deletes the saved key of a service, which is no longer the last one; returns the path. */
export async function deleteKey(terminal: Terminal, url: string): Promise<string> {
  const { lastUrl, keys } = await readCredentials(terminal)
  const { [url]: _deleted, ...others } = keys
  return writeCredentials(terminal, { lastUrl: lastUrl === url ? null : lastUrl, keys: others })
}

async function writeCredentials(terminal: Terminal, credentials: Credentials): Promise<string> {
  const path = credentialsPath(terminal)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  // The mode above applies only to a new file.
  await chmod(path, 0o600)
  return path
}
