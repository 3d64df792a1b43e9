import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorRefused } from '../errors.ts'

/** What a backup holds. */
export type Backup = {
  readonly path: string
  readonly sizeBytes: number
  readonly accounts: number
  readonly inboxes: number
  readonly messages: number
}

/** How long the copy waits when the running service just checkpoints. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Copies an embedded store into a new file, also while a service runs on it.
 *
 * The copy is of one moment: it is read in one transaction, beside which the service goes on
 * writing. It is checked, on disk, and only then under its name: a file of that name is whole.
 */
export function backUpSqlite(source: string, target: string): Backup {
  if (existsSync(target)) throw new OperatorRefused(`${target} exists. Choose another name.`)
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
  renameSync(draft, target)
  syncToDisk(dirname(target))
  return { path: target, sizeBytes: statSync(target).size, ...content }
}

function checkCopy(path: string): Omit<Backup, 'path' | 'sizeBytes'> {
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
