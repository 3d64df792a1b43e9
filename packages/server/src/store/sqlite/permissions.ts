import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Set on folders that several users share, such as /tmp. */
const STICKY_BIT = 0o1000

/** The suffixes of the files of a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.key', '.lock', '.lock-journal']

/**
 * Creates the file of a database if it is missing, and lets only its owner read it and the files
 * that SQLite and Mayfly put beside it: they hold mail and keys. The folder too, unless it has
 * other files or is is shared by several users.
 */
export function restrictAccess(path: string): void {
  const folder = dirname(resolve(path))
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  createIfMissing(path)
  const databaseName = basename(path).replace(/\.lock$/, '')
  const isOurs = (name: string) => SUFFIXES.some((suffix) => name === databaseName + suffix)
  const entries = readdirSync(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && isOurs(entry.name))
  for (const { name } of files) restrict(resolve(folder, name), OWNER_ONLY_FILE)
  const isOursAlone = files.length === entries.length && (statSync(folder).mode & STICKY_BIT) === 0
  if (isOursAlone) restrict(folder, OWNER_ONLY_FOLDER)
}

/**
 * Does not open a file that exists: closing it would end the locks of SQLite on it, which belong to
 * the process. Then an SQLite before 3.51 in another program considers itself the last user when it
 * closes the database, and deletes the log to which this process still writes.
 */
function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY_FILE))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    checkWritable(path)
  }
}

/** Throws the error of opening for writing, without opening a file that may be locked. */
function checkWritable(path: string): void {
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing?.isFile()) accessSync(path, constants.R_OK | constants.W_OK)
  // A folder, which is refused, or a symbolic link to a file that is missing.
  else closeSync(openSync(path, 'a', OWNER_ONLY_FILE))
}

function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    // Another user's file that we may use is not ours to change; a log may have been deleted.
    const code = codeOf(error)
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
