import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/**
 * Creates the file of a database if it is missing, and lets only its owner read it and the files
 * that SQLite puts beside it: they hold mail and keys. The folder too, unless it has other files:
 * then it is not ours alone.
 */
export function restrictAccess(path: string): void {
  const folder = dirname(resolve(path))
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  closeSync(openSync(path, 'a', OWNER_ONLY_FILE))
  const names = readdirSync(folder)
  const ours = names.filter((name) => name.startsWith(storeName(path)))
  for (const name of ours) restrict(resolve(folder, name), OWNER_ONLY_FILE)
  if (ours.length === names.length) restrict(folder, OWNER_ONLY_FOLDER)
}

/** The name of the database, with which the names of its other files begin. */
function storeName(path: string): string {
  return basename(path).replace(/\.lock$/, '')
}

function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    // Another user's file that we may use is not ours to change; a log may have been deleted.
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}
