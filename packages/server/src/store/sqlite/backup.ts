import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorRefused } from '../../errors.ts'

/** What a backup holds. */
export type Backup = {
  readonly path: string
  /** The copy of the key that secrets in the store are sealed with, when it is kept beside it. */
  readonly keyPath: string | null
  readonly sizeBytes: number
  readonly accounts: number
  readonly inboxes: number
  readonly messages: number
}

/** How long the copy waits when the running service just checkpoints. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Copies an embedded store into a new file, also while a service runs on it, and its key beside it.
 *
 * The copy is of one moment: it is read in one transaction, beside which the service goes on
 * writing. It is checked, on disk, and only then under its name: a file of that name is whole.
 */
export function backUpSqlite(source: string, target: string): Backup {
  for (const path of [target, keyPathOf(target)]) {
    if (existsSync(path)) throw new OperatorRefused(`${path} exists. Choose another name.`)
  }
  const draft = `${target}.part`
  rmSync(draft, { force: true })
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    // Made first: what SQLite makes itself everyone could read, and keys and mail are in it.
    closeSync(openSync(draft, 'wx', 0o600))
    database.prepare('vacuum into ?').run(draft)
  } finally {
    database.close()
  }
  const content = checkCopy(draft)
  syncToDisk(draft)
  const keyPath = copyKey(source, target)
  renameSync(draft, target)
  syncToDisk(dirname(target))
  return { path: target, keyPath, sizeBytes: statSync(target).size, ...content }
}

/** Where the key of a store lies that nobody configured. */
const keyPathOf = (path: string): string => `${path}.key`

function copyKey(source: string, target: string): string | null {
  const [from, to] = [keyPathOf(source), keyPathOf(target)]
  if (!existsSync(from)) return null
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  chmodSync(to, 0o600)
  syncToDisk(to)
  return to
}

function checkCopy(path: string): Pick<Backup, 'accounts' | 'inboxes' | 'messages'> {
  const copy = new DatabaseSync(path, { readOnly: true })
  try {
    const verdict = Object.values(copy.prepare('pragma quick_check').get() ?? {})[0]
    if (verdict !== 'ok') throw new OperatorRefused(`The copy is damaged: ${String(verdict)}.`)
    const count = (table: string) =>
      Number(Object.values(copy.prepare(`select count(*) from ${table}`).get() ?? {})[0])
    return { accounts: count('account'), inboxes: count('inbox'), messages: count('message') }
  } finally {
    copy.close()
  }
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
